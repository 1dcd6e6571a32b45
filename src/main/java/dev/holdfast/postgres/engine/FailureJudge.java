package dev.holdfast.postgres.engine;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.Json;
import dev.holdfast.postgres.StorableText;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.retry.RetryHistory;
import dev.holdfast.retry.RetryOverrides;
import dev.holdfast.retry.RetryOverridesParser;
import dev.holdfast.retry.RetryPolicy;
import dev.holdfast.retry.RetrySettings;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Applies the retry policy to a failed ticket, with the overrides of queue, design and ticket laid
 * over the configuration in that order.
 */
final class FailureJudge {
  private static final Logger log = LoggerFactory.getLogger(FailureJudge.class);

  private final RetryPolicy policy;
  private final RetrySettings settings;

  FailureJudge(RetryPolicy policy, RetrySettings settings) {
    this.policy = policy;
    this.settings = settings;
  }

  /** How the attempt under judgement ended. */
  enum Outcome {
    FAILED,
    CRASHED
  }

  Verdict judge(FailedTicket ticket, Failure reported, Outcome outcome) {
    return judge(ticket, reported, outcome, null);
  }

  /**
   * @param hold why the ticket is to be held whatever the policy says; null where it decides
   */
  Verdict judge(
      FailedTicket ticket, Failure reported, Outcome outcome, RetryDecision.@Nullable Hold hold) {
    Failure failure = storable(reported);
    Map<Category, Integer> counts = counts(ticket.retryCounts());
    int sameErrorCount =
        failure.fingerprint().equals(ticket.fingerprint()) ? ticket.sameErrorCount() + 1 : 1;
    int crashCount = ticket.crashCount() + (outcome == Outcome.CRASHED ? 1 : 0);
    RetryHistory history =
        new RetryHistory(ticket.retryCount(), counts, sameErrorCount, crashCount);
    RetrySettings ofTicket = settingsOf(ticket);
    boolean crashed = outcome == Outcome.CRASHED;
    RetryDecision byPolicy =
        crashed
            ? policy.afterCrash(failure, history, ofTicket)
            : policy.shouldRetryTicket(failure, history, ofTicket);
    boolean usesRetry = !crashed || ofTicket.crashLimit() == 0;
    RetryDecision decision =
        hold == null
            ? byPolicy
            : byPolicy.heldFor(
                new RetryDecision.Hold(hold.cause(), StorableText.of(hold.reason())));
    usesRetry &= decision.shouldRetry();
    if (usesRetry) {
      counts.merge(failure.category(), 1, Integer::sum);
    }
    int retryCount = usesRetry ? oneMore(ticket.retryCount()) : ticket.retryCount();
    Ruling ruling =
        new Ruling(
            ticket.leaseNo(),
            outcome,
            failure.category(),
            decision.strategy(),
            decision.nextDelay().toMillis(),
            decision.attemptsRemaining(),
            decision.hold().orElse(null),
            ticket.retryCount() + 1L,
            retryCount,
            counts,
            sameErrorCount,
            crashCount);
    return new Verdict(ticket.key(), decision, ruling);
  }

  /** The count may have been set by hand to anything. */
  private static int oneMore(int count) {
    return count == Integer.MAX_VALUE ? count : count + 1;
  }

  /** What reports a failure to the queue directly may have any text in it (A54). */
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
   * Overrides are checked where they are put in; what was written by hand and is wrong must not
   * keep a ticket from its decision.
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
