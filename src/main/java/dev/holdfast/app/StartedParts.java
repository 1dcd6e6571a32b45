package dev.holdfast.app;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a process that have been started, closed in the opposite order: at its end, or when
 * a later part cannot be started. Used by one thread at a time.
 */
final class StartedParts implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StartedParts.class);

  private final Deque<Runnable> ends = new ArrayDeque<>();

  <T> T add(T part, Consumer<T> close) {
    ends.push(() -> close.accept(part));
    return part;
  }

  /** Closes all of them, even when one fails to close; then it throws the first failure. */
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
      } catch (OutOfMemoryError e) {
        // Ending a part may need a thread, and there is none. The others must still be closed.
        log.error("a part of this process could not be closed", e);
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /** Closes what was started before this failure. */
  void closeAfter(Throwable failure) {
    try {
      close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
