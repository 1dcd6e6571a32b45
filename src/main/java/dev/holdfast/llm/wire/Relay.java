package dev.holdfast.llm.wire;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.StreamListener;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries an answer's pieces from the thread that reads them to the one that called. The sum of the
 * pieces is bounded by the longest answer.
 */
final class Relay implements StreamListener {
  private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

  private sealed interface Signal {
    record Piece(Consumer<StreamListener> tell) implements Signal {}

    record End(CallResult result) implements Signal {}

    record Broken(Error error) implements Signal {}
  }

  @Override
  public void text(String piece) {
    signals.add(new Signal.Piece(listener -> listener.text(piece)));
  }

  @Override
  public void reasoning(String piece) {
    signals.add(new Signal.Piece(listener -> listener.reasoning(piece)));
  }

  @Override
  public void toolCallStarted(String name) {
    signals.add(new Signal.Piece(listener -> listener.toolCallStarted(name)));
  }

  void end(CallResult result) {
    signals.add(new Signal.End(result));
  }

  /** Hands on an error that is not the provider's; {@link #next} throws it. */
  void broken(Error error) {
    signals.add(new Signal.Broken(error));
  }

  /**
   * Waits for the next signal and hands a piece to the listener.
   *
   * @param nanos how long at most
   * @return the result at the end, otherwise null
   */
  @Nullable CallResult next(long nanos, StreamListener listener) throws InterruptedException {
    return switch (signals.poll(nanos, TimeUnit.NANOSECONDS)) {
      case null -> null;
      case Signal.End(CallResult result) -> result;
      case Signal.Broken(Error error) -> throw error;
      case Signal.Piece(Consumer<StreamListener> tell) -> {
        tell.accept(listener);
        yield null;
      }
    };
  }
}
