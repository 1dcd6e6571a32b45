package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Json;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.retry.Backoff;
import dev.holdfast.retry.BackoffType;
import dev.holdfast.retry.CategoryPolicy;
import dev.holdfast.retry.HoldCause;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.ticket.StorableText;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A retry decision as its activity row keeps it (A60, A61). */
final class DecisionLog {
  private static final int LOGGED_ERROR_CHARS = 500;

  private DecisionLog() {}

  /** The error in it is cut (A54). */
  static String write(FailureDecision failed) {
    RetryDecision decision = failed.policy();
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("errorCategory", failed.category());
    details.put("currentAttempt", failed.currentAttempt());
    details.put("maxRetries", decision.strategy().maxRetries());
    details.put("shouldRetry", decision.shouldRetry());
    details.put("nextDelayMs", failed.delayMillis());
    details.put("attemptsRemaining", decision.attemptsRemaining());
    details.put("backoffType", decision.strategy().backoff().type().wireName());
    details.put("baseDelayMs", decision.strategy().backoff().base().toMillis());
    details.put("rule", failed.failure().rule());
    details.put("fingerprint", failed.failure().fingerprint());
    details.put("leaseNo", failed.leaseNo());
    decision.hold().ifPresent(hold -> details.put("holdCause", hold.cause().wireName()));
    decision.hold().ifPresent(hold -> details.put("holdReason", hold.reason()));
    details.put("title", failed.failure().title());
    details.put("error", StorableText.cut(failed.failure().message(), LOGGED_ERROR_CHARS));
    return Json.write(details);
  }

  /** The answer that was given when the decision was stored. */
  static FinishResult read(Finish.Failed failed, String details, Instant decidedAt) {
    JsonNode log = Json.parse(details);
    Duration delay = Duration.ofMillis(log.path("nextDelayMs").asLong());
    boolean shouldRetry = log.path("shouldRetry").asBoolean();
    RetryDecision decision =
        new RetryDecision(
            shouldRetry,
            delay,
            log.path("attemptsRemaining").asInt(),
            failed.failure(),
            strategy(log),
            shouldRetry ? Optional.empty() : Optional.of(hold(log)));
    long before = log.path("currentAttempt").asLong() - 1;
    return shouldRetry
        ? new FinishResult.Retried(failed.ticketId(), decidedAt.plus(delay), decision, before)
        : new FinishResult.Held(failed.ticketId(), decision, before);
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
