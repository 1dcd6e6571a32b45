package dev.holdfast.app;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles SIGTERM and Ctrl-C in a long-running command: closes what it runs, in order, then ends
 * the process with code 0. A hook that only closed would leave the code to the signal (143), which
 * supervisors read as a failure.
 *
 * @param answered completes when the database has answered: after that, what runs may have claimed
 *     tickets
 * @param running what is to be closed; a start may wait for a database that hangs
 * @param patience how long the end waits for that answer; the one who ends the process must not
 *     wait, too
 * @param longest how long the rest of the start, and then closing, may take; after that the process
 *     ends anyway, with code 1
 */
record ProcessExit(
    CompletableFuture<?> answered,
    CompletableFuture<AutoCloseable> running,
    Duration patience,
    Duration longest) {
  private static final Logger log = LoggerFactory.getLogger(ProcessExit.class);
  private static final Duration LAST_WORDS = Duration.ofMillis(200);
  private static final int FAILED = 1;

  /** Closes what runs once when the process is told to end, and then ends it. */
  Thread atSignal() {
    Thread hook = new Thread(this::end, "holdfast-exit");
    Runtime.getRuntime().addShutdownHook(hook);
    return hook;
  }

  /**
   * Removes the hook when the command has ended by itself and has closed what it ran.
   *
   * @return false if the process is ending already, and the hook does what is to be done
   */
  static boolean forget(Thread hook) {
    try {
      return Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return false;
    }
  }

  private void end() {
    AtomicInteger code = new AtomicInteger(FAILED);
    try {
      AutoCloseable started = started();
      Thread closing = daemon(() -> code.set(close(started)));
      if (!closing.join(longest)) {
        // This may hang, too.
        daemon(() -> System.err.println("ended before all was closed: something hangs"))
            .join(LAST_WORDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(code.get());
  }

  AutoCloseable started() throws InterruptedException {
    try {
      CompletableFuture.anyOf(answered, running).get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return running.get(longest.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      log.warn("ended before it had started");
    } catch (ExecutionException e) {
      log.debug("did not start", e);
    }
    return () -> {};
  }

  private static int close(AutoCloseable started) {
    int code = 0;
    try {
      started.close();
    } catch (Exception e) {
      System.err.println("while stopping: " + e.getMessage());
      code = FAILED;
    }
    LogOutput.end();
    System.out.flush();
    return code;
  }

  private static Thread daemon(Runnable work) {
    return Thread.ofPlatform().daemon().name("holdfast-close").start(work);
  }
}
