package dev.holdfast.app;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a process that have been started, closed in the opposite order: at its end, or when
 * a later part cannot be started. Used by one thread at a time.
 */
final class StartedParts implements AutoCloseable {
  private final Deque<Runnable> ends = new ArrayDeque<>();

  <T> T add(T part, Consumer<T> close) {
    ends.push(() -> close.accept(part));
    return part;
  }

  /** All of them, also when one fails to; the first failure is thrown then. */
  @Override
  public void close() {
    @Nullable RuntimeException first = null;
    while (!ends.isEmpty()) {
      try {
        ends.pop().run();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /** Closes what was started before this failure, which is returned. */
  RuntimeException closeAfter(RuntimeException failure) {
    try {
      close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
    return failure;
  }
}
