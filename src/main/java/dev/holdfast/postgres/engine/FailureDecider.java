package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.Json;
import dev.holdfast.retry.AttemptOutcome;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.retry.RetryHistory;
import dev.holdfast.retry.RetryOverrides;
import dev.holdfast.retry.RetryOverridesParser;
import dev.holdfast.retry.RetryPolicy;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.ticket.StorableText;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Lets the retry policy decide on a failed ticket. It uses the counts in the ticket's row, and lays
 * the overrides of queue, design and ticket over the configuration in that order.
 */
record FailureDecider(RetryPolicy policy, RetrySettings settings) {
  private static final Logger log = LoggerFactory.getLogger(FailureDecider.class);

  /**
   * @param hold why the ticket is to be held whatever the policy says; null where the policy
   *     decides
   */
  DecidedFailure decide(
      FailedTicket ticket,
      Failure reported,
      AttemptOutcome outcome,
      RetryDecision.@Nullable Hold hold) {
    Failure failure = storable(reported);
    RetryHistory history =
        new RetryHistory(
                ticket.retryCount(),
                counts(ticket.retryCounts()),
                ticket.sameErrorCount(),
                ticket.crashCount())
            .with(failure, outcome, ticket.fingerprint());
    RetryPolicy.Counted counted =
        policy.decide(failure, outcome, history, settingsOf(ticket), storable(hold));
    RetryDecision decision = counted.decision();
    SharedDecision shared =
        new SharedDecision(
            ticket.leaseNo(),
            outcome,
            failure.category(),
            decision.strategy(),
            decision.nextDelay().toMillis(),
            decision.attemptsRemaining(),
            decision.hold().orElse(null),
            ticket.retryCount() + 1L,
            ticket.sameErrorCount() > 0,
            counted.counts());
    return new DecidedFailure(ticket.key(), decision, shared);
  }

  private static RetryDecision.@Nullable Hold storable(RetryDecision.@Nullable Hold hold) {
    return hold == null
        ? null
        : new RetryDecision.Hold(hold.cause(), StorableText.of(hold.reason()));
  }

  /**
   * Makes a failure storable: a program that reports one to the queue itself may give any text
   * (A54).
   */
  private static Failure storable(Failure failure) {
    return new Failure(
        StorableText.of(failure.message()),
        failure.category(),
        StorableText.of(failure.rule()),
        failure.evidence(),
        failure.retryAfter(),
        failure.httpStatus(),
        StorableText.of(failure.fingerprint()),
        StorableText.of(failure.title()));
  }

  private RetrySettings settingsOf(FailedTicket ticket) {
    return settings
        .with(overrides(ticket.id(), "its queue", ticket.queueRetry()))
        .with(overrides(ticket.id(), "its design", ticket.designRetry()))
        .with(overrides(ticket.id(), "tickets.retry_strategy", ticket.ticketRetry()));
  }

  /**
   * Reads overrides. They are checked where they are put in; a wrong one that was written by hand
   * must not keep a ticket from its decision.
   */
  private static RetryOverrides overrides(long ticketId, String source, @Nullable String json) {
    if (json == null) {
      return RetryOverrides.NONE;
    }
    try {
      JsonNode document = Json.parse(json);
      return document.isNull()
          ? RetryOverrides.NONE
          : RetryOverridesParser.parse(Json.convert(document, Map.class));
    } catch (IllegalArgumentException | JacksonException e) {
      log.warn(
          "ticket {}: the retry overrides of {} are ignored: {}", ticketId, source, e.getMessage());
      return RetryOverrides.NONE;
    }
  }

  private static Map<Category, Integer> counts(@Nullable String json) {
    Map<Category, Integer> counts = new EnumMap<>(Category.class);
    if (json != null) {
      JsonNode stored = Json.parse(json);
      for (Category category : Category.values()) {
        if (stored.path(category.wireName()).isInt()) {
          counts.put(category, stored.path(category.wireName()).asInt());
        }
      }
    }
    return counts;
  }
}
