package dev.holdfast.handler.agent;

import dev.holdfast.retry.DurationText;
import dev.holdfast.session.Allowance;
import dev.holdfast.session.AllowanceStore;
import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The limits of one attempt: the configuration's bounds, under the design's, under the ticket's.
 */
final class AgentAllowance {
  private AgentAllowance() {}

  /**
   * @param limits of the design
   * @param usual of the configuration
   * @param own of the ticket
   */
  static Allowance of(long ticketId, JsonNode limits, Allowance usual, AllowanceStore.Own own) {
    BigDecimal ofDesign = amount(limits, "max_cost_usd");
    BigDecimal ofTicket = own.maxCostUsd() == null ? ofDesign : own.maxCostUsd();
    BigDecimal ofAttempt = amount(limits, "max_attempt_cost_usd");
    return new Allowance(
        "ticket:" + ticketId,
        ofTicket == null ? usual.costUsd() : ofTicket,
        limits.path("max_tokens").asLong(usual.tokens()),
        limits.path("max_calls").asInt(usual.answers()),
        left(limits.path("max_time"), usual.time(), own.worked()),
        ofAttempt == null ? usual.attemptCostUsd() : ofAttempt,
        limits.path("max_attempt_tokens").asLong(usual.attemptTokens()),
        usual.outputTokens());
  }

  private static @Nullable BigDecimal amount(JsonNode limits, String name) {
    return limits.has(name) ? limits.get(name).decimalValue() : null;
  }

  private static @Nullable Duration left(
      JsonNode limit, @Nullable Duration usual, Duration worked) {
    Duration most = limit.stringValueOpt().map(DurationText::parse).orElse(usual);
    if (most == null) {
      return null;
    }
    Duration left = most.minus(worked);
    return left.isNegative() ? Duration.ZERO : left;
  }
}
