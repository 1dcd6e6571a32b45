package dev.holdfast.repair;

import dev.holdfast.process.NotPreparedException;
import dev.holdfast.tool.BoundedParallel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Runs a piece of work for each candidate, some at once. One that fails does not cut off the
 * others, because their work is paid for.
 */
final class Parallel {
  private static final Duration GRACE = Duration.ofSeconds(10);

  /**
   * @param <T> what comes out
   */
  @FunctionalInterface
  interface Work<T> {
    T run(int number) throws IOException, InterruptedException;
  }

  /** The end of a piece of work; it has either a value or a failure. */
  private record End<T>(@Nullable T value, @Nullable Exception failure) {}

  private Parallel() {}

  /**
   * @param numbers of the candidates
   * @return in their order
   * @throws IOException what the first that failed has thrown
   */
  static <T> List<T> run(List<Integer> numbers, int width, Work<T> work)
      throws IOException, InterruptedException {
    List<Callable<End<T>>> tasks = new ArrayList<>();
    for (int number : numbers) {
      tasks.add(() -> end(number, work));
    }
    List<T> values = new ArrayList<>();
    for (End<T> end : BoundedParallel.run(tasks, width, GRACE)) {
      switch (end.failure()) {
        case null -> values.add(end.value());
        case IOException failure -> throw failure;
        case InterruptedException failure -> throw failure;
        case BudgetExceededException failure -> throw failure;
        case NotPreparedException failure -> throw failure;
        case Exception failure -> throw new IllegalStateException(failure);
      }
    }
    return values;
  }

  private static <T> End<T> end(int number, Work<T> work) {
    try {
      return new End<>(work.run(number), null);
    } catch (IOException
        | BudgetExceededException
        | NotPreparedException
        | InterruptedException e) {
      return new End<>(null, e);
    }
  }
}
