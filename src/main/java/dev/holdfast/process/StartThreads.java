package dev.holdfast.process;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which programs are started. A virtual thread would keep its carrier until the
 * system has started the program. With a few slow starts viewers would wait for seconds; with as
 * many hanging starts as there are processors the worker would stand still.
 */
final class StartThreads {
  /** The limit of files from which on a process has enough for all starts at once. */
  private static final long PLENTY_OF_FILES = 4_096;

  private static final int USUAL_PLACES = 4;

  /** The places of starts at once. */
  private static final Semaphore PLACES = new Semaphore(places());

  private static final long LONGEST_WAIT_SECONDS = 5;

  /**
   * The threads, which never end: a sandboxed program is killed when the thread that started it
   * ends. So they belong to the process and not to a worker, like Java's own that wait for
   * programs.
   */
  private static final ExecutorService THREADS =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          Long.MAX_VALUE,
          TimeUnit.NANOSECONDS,
          new SynchronousQueue<>(),
          Thread.ofPlatform().name("program start").daemon().factory());

  private StartThreads() {}

  /**
   * Returns the number of starts at once. More would be no faster, and each is a thread. Where
   * there may be too few files for all, programs are started one after the other: one that runs out
   * of files beside another makes Java 25 close files that are not its own, such as a new
   * connection.
   */
  private static int places() {
    return mayRunOutOfFiles()
        ? 1
        : Math.max(USUAL_PLACES, Runtime.getRuntime().availableProcessors());
  }

  private static boolean mayRunOutOfFiles() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        && unix.getMaxFileDescriptorCount() < PLENTY_OF_FILES;
  }

  /**
   * Runs a start. Waits for it even where the caller is interrupted, because otherwise an unknown
   * program would run on.
   */
  static Process run(Callable<Process> start) throws IOException {
    boolean place = awaitPlace();
    try {
      return await(submit(start));
    } catch (ExecutionException e) {
      throw unwrapped(Objects.requireNonNull(e.getCause()));
    } finally {
      if (place) {
        PLACES.release();
      }
    }
  }

  /**
   * Waits for a place for a limited time, because a start may hang, as in a directory whose server
   * has gone.
   */
  private static boolean awaitPlace() {
    try {
      return PLACES.tryAcquire(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static Future<Process> submit(Callable<Process> start) {
    try {
      return THREADS.submit(start);
    } catch (OutOfMemoryError e) { // of threads
      throw MachineLimits.noProcesses(e);
    }
  }

  private static Process await(Future<Process> started) throws ExecutionException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return started.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static IOException unwrapped(Throwable e) {
    if (e instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof IOException io ? io : new IOException(e);
  }
}
