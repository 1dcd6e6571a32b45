package dev.holdfast.tool.workspace;

import dev.holdfast.process.MachineLimits;
import dev.holdfast.tool.ModelRetryException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs searches with a model's pattern on threads of their own. A pattern that repeats something
 * empty, such as {@code (?:^){2000000000}}, reads no character meanwhile, so it never checks the
 * deadline, and nothing can stop it. On a virtual thread it would keep a carrier, and a few of them
 * would keep all of the worker's.
 */
final class SearchThread {
  private static final Logger log = LoggerFactory.getLogger(SearchThread.class);

  /** The time that a search has to notice the deadline, or an interrupt, itself. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  /**
   * The places of searches. A search that does not end keeps its place, and a processor, until this
   * process ends.
   */
  private static final Semaphore PLACES =
      new Semaphore(Math.max(4, Runtime.getRuntime().availableProcessors()));

  private SearchThread() {}

  /**
   * @param time after which the search ends by itself where it can
   * @throws ModelRetryException if it cannot, or has no place within that time
   */
  static String run(Callable<String> search, Duration time)
      throws IOException, InterruptedException {
    if (!PLACES.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new ModelRetryException(
          "Nothing can be searched here now: other searches do not come to an end. Go on without"
              + " this tool.");
    }
    FutureTask<String> task = new FutureTask<>(search);
    Thread thread = start(task);
    try {
      return task.get(time.plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      leave(thread);
      throw e;
    } catch (TimeoutException e) {
      leave(thread);
      throw new ModelRetryException(
          "The pattern does not come to an end: repeat nothing in it that may be empty.", e);
    } catch (ExecutionException e) {
      throw unwrapped(e);
    }
  }

  private static Thread start(Runnable task) {
    boolean started = false;
    try {
      Thread thread =
          Thread.ofPlatform().daemon().name("holdfast-search").start(() -> inPlace(task));
      started = true;
      return thread;
    } catch (OutOfMemoryError e) { // of threads
      throw MachineLimits.noProcesses(e);
    } finally {
      if (!started) {
        PLACES.release();
      }
    }
  }

  private static void inPlace(Runnable task) {
    try {
      task.run();
    } finally {
      PLACES.release();
    }
  }

  private static void leave(Thread thread) throws InterruptedException {
    boolean ended = false;
    thread.interrupt();
    try {
      ended = thread.join(GRACE);
    } finally {
      if (!ended) {
        log.warn("A search does not come to an end: it takes a processor until the worker ends");
      }
    }
  }

  private static RuntimeException unwrapped(ExecutionException e)
      throws IOException, InterruptedException {
    return switch (e.getCause()) {
      case IOException io -> throw io;
      case InterruptedException interrupt -> throw interrupt;
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      case null, default -> new IllegalStateException(e);
    };
  }
}
