package dev.holdfast.app;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Closes what a benchmark opened, in the opposite order, when it ends and when Ctrl-C or SIGTERM
 * ends the process. Thread-safe.
 */
final class BenchCleanup implements AutoCloseable {
  private static final int INTERRUPTED = 130;

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final Thread hook = new Thread(this::stop, "holdfast-bench-cleanup");

  BenchCleanup() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  synchronized <T extends AutoCloseable> T add(T resource) {
    opened.push(resource);
    return resource;
  }

  /**
   * Closes everything and halts. The benchmark's own threads run on until then, and must not report
   * what they miss.
   */
  private void stop() {
    System.err.println("stopped; cleaning up");
    closeAll();
    Runtime.getRuntime().halt(INTERRUPTED);
  }

  private synchronized void closeAll() {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        System.err.println("while cleaning up: " + e.getMessage());
      }
    }
  }

  @Override
  public void close() {
    if (ProcessExit.forget(hook)) {
      closeAll();
    }
  }
}
