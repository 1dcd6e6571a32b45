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
 * system has started the program: with a few slow starts viewers wait for seconds, and with as many
 * that hang as there are processors the worker stands.
 */
final class StartThreads {
  /** A process that may have so many files has some for all that it starts at once. */
  private static final long PLENTY_OF_FILES = 4_096;

  private static final int USUAL_PLACES = 4;

  /** Of starts at once. */
  private static final Semaphore PLACES = new Semaphore(places());

  private static final long LONGEST_WAIT_SECONDS = 5;

  /**
   * They never end: a sandboxed program is killed when the thread that started it does. So they are
   * no worker's, but the process's, as Java's own that wait for programs.
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
   * More would be no faster, and each is a thread. Where there may be too few files for all, one
   * after the other is started: one that runs out of files beside another makes Java 25 close files
   * that are not its own, which may be a connection by then.
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
   * Waits for the start also where the caller is interrupted: a program of which nobody knows would
   * run on.
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

  /** Not for ever: a start may hang, as in a directory whose server has gone. */
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
