package dev.holdfast.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Starts things in the same moment. */
public final class AtOnce {
  private AtOnce() {}

  public static <T> List<T> run(Callable<? extends T> one, Callable<? extends T> other)
      throws Exception {
    return run(List.of(one, other));
  }

  /** Their answers, in order. The first exception is thrown, wrapped. */
  public static <T> List<T> run(List<? extends Callable<? extends T>> tasks) throws Exception {
    CyclicBarrier start = new CyclicBarrier(tasks.size());
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
      List<Future<T>> futures = new ArrayList<>();
      for (Callable<? extends T> task : tasks) {
        futures.add(
            threads.submit(
                () -> {
                  start.await();
                  return task.call();
                }));
      }
      List<T> answers = new ArrayList<>();
      for (Future<T> future : futures) {
        answers.add(future.get());
      }
      return answers;
    }
  }
}
