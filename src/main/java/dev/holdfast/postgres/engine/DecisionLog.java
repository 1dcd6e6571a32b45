package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Json;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.retry.Backoff;
import dev.holdfast.retry.BackoffType;
import dev.holdfast.retry.CategoryPolicy;
import dev.holdfast.retry.HoldCause;
import dev.holdfast.retry.RetryDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Writes and reads a retry decision as its activity row keeps it (A60, A61). The error is in the
 * row of the attempt with the same lease number; ticket_timeline takes it from there.
 */
final class DecisionLog {
  private DecisionLog() {}

  static String write(SharedDecision shared) {
    Backoff backoff = shared.strategy().backoff();
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("errorCategory", shared.category().wireName());
    details.put("currentAttempt", shared.currentAttempt());
    details.put("maxRetries", shared.strategy().maxRetries());
    details.put("shouldRetry", shared.hold() == null);
    details.put("nextDelayMs", shared.delayMillis());
    details.put("attemptsRemaining", shared.attemptsRemaining());
    details.put("backoffType", backoff.type().wireName());
    details.put("baseDelayMs", backoff.base().toMillis());
    details.put("leaseNo", shared.leaseNo());
    RetryDecision.Hold hold = shared.hold();
    if (hold != null) {
      details.put("holdCause", hold.cause().wireName());
      details.put("holdReason", hold.reason());
    }
    return Json.write(details);
  }

  /** Returns the answer that was given when the decision was stored. */
  static FinishResult read(Finish.Failed failed, String details, Instant decidedAt) {
    JsonNode log = Json.parse(details);
    Duration delay = Duration.ofMillis(log.path("nextDelayMs").asLong());
    boolean shouldRetry = log.path("shouldRetry").asBoolean();
    RetryDecision decision =
        new RetryDecision(
            delay,
            log.path("attemptsRemaining").asInt(),
            failed.failure(),
            strategy(log),
            shouldRetry ? Optional.empty() : Optional.of(hold(log)));
    boolean ofRetry = log.path("currentAttempt").asLong() > 1;
    return shouldRetry
        ? new FinishResult.Retried(failed.ticketId(), decidedAt.plus(delay), decision, ofRetry)
        : new FinishResult.Held(failed.ticketId(), decision, ofRetry);
  }

  private static CategoryPolicy strategy(JsonNode log) {
    return new CategoryPolicy(
        log.path("maxRetries").asInt(),
        new Backoff(
            BackoffType.ofWireName(log.path("backoffType").asString()).orElseThrow(),
            Duration.ofMillis(log.path("baseDelayMs").asLong())));
  }

  private static RetryDecision.Hold hold(JsonNode log) {
    return new RetryDecision.Hold(
        HoldCause.ofWireName(log.path("holdCause").asString()).orElseThrow(),
        log.path("holdReason").asString());
  }
}
