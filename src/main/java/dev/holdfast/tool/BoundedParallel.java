package dev.holdfast.tool;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Runs tasks on virtual threads, {@code width} at once, started in their order (C31). A task
 * reports its own failure as its value; one that throws ends them all (C30).
 */
public final class BoundedParallel {
  private BoundedParallel() {}

  /**
   * @param grace how long the stopped tasks may take to end
   * @return one value per task, in the order of the tasks (C29)
   * @throws InterruptedException if this thread was interrupted, or a task says that it was; the
   *     tasks have been stopped
   */
  public static <T> List<T> run(List<Callable<T>> tasks, int width, Duration grace)
      throws InterruptedException {
    AtomicReferenceArray<T> values = new AtomicReferenceArray<>(tasks.size());
    AtomicInteger next = new AtomicInteger();
    int workers = Math.min(width, tasks.size());
    ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("holdfast-batch-", 0).factory());
    try {
      CompletionService<Boolean> ends = new ExecutorCompletionService<>(threads);
      for (int i = 0; i < workers; i++) {
        var unused = ends.submit(LogContext.carried(() -> work(tasks, next, values)));
      }
      for (int i = 0; i < workers; i++) {
        ends.take().get();
      }
    } catch (ExecutionException e) {
      throw raw(e);
    } finally {
      threads.shutdownNow();
      threads.awaitTermination(2 * grace.toMillis(), TimeUnit.MILLISECONDS);
    }
    List<T> all = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      all.add(values.get(i));
    }
    return all;
  }

  private static <T> boolean work(
      List<Callable<T>> tasks, AtomicInteger next, AtomicReferenceArray<T> values)
      throws Exception {
    for (int i = next.getAndIncrement(); i < tasks.size(); i = next.getAndIncrement()) {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedException("the batch was stopped");
      }
      values.set(i, tasks.get(i).call());
    }
    return true;
  }

  /** Returns or throws the same exception that a task threw. */
  private static RuntimeException raw(ExecutionException e) throws InterruptedException {
    return switch (e.getCause()) {
      case InterruptedException interrupt -> throw interrupt;
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      case null, default -> new IllegalStateException(e);
    };
  }
}
