package dev.holdfast.session.retry;

import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.event.SessionEvent;
import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One attempt, after its end.
 *
 * @param status as in {@link SessionEvent.AttemptFinished}
 * @param error null where the answer was accepted, or nothing was sent
 * @param refused why nothing was sent; null where a call was made
 */
public record TurnAttempt(
    int attempt,
    Target target,
    String status,
    Usage usage,
    @Nullable BigDecimal costUsd,
    Duration latency,
    @Nullable TurnError error,
    @Nullable Standstill refused) {
  public TurnAttempt(
      int attempt,
      Target target,
      String status,
      Usage usage,
      @Nullable BigDecimal costUsd,
      Duration latency,
      @Nullable TurnError error) {
    this(attempt, target, status, usage, costUsd, latency, error, null);
  }

  public static TurnAttempt refused(int attempt, Target target, Standstill why) {
    return new TurnAttempt(attempt, target, "refused", Usage.NONE, null, Duration.ZERO, null, why);
  }

  public SessionEvent.AttemptFinished event(int turn, Duration backoff) {
    return new SessionEvent.AttemptFinished(
        turn,
        attempt,
        target,
        status,
        usage,
        costUsd,
        latency,
        error == null ? null : error.message(),
        backoff);
  }
}
