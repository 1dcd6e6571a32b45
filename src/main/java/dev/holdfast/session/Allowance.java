package dev.holdfast.session;

import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a session, beside those of its design. What goes past it is held for a person.
 *
 * @param scope what the budget of the whole ticket is called, such as ticket:17
 * @param costUsd of the ticket over all attempts, in the place of the design's; null for the
 *     design's
 * @param tokens of the ticket over all attempts; 0 for no bound
 * @param answers of models that the ticket may get over all attempts; 0 for no bound
 * @param time that is left of what the ticket may be worked on; null for no bound
 * @param attemptCostUsd of this attempt; null for no bound
 * @param attemptTokens of this attempt; 0 for no bound
 * @param outputTokens what a call without a bound of its own is taken to write at worst
 */
public record Allowance(
    String scope,
    @Nullable BigDecimal costUsd,
    long tokens,
    int answers,
    @Nullable Duration time,
    @Nullable BigDecimal attemptCostUsd,
    long attemptTokens,
    int outputTokens) {
  /** No bounds but the design's. */
  public static final Allowance NONE = new Allowance("ticket", null, 0, 0, null, null, 0, 8192);

  public Allowance withScope(String name) {
    return new Allowance(
        name, costUsd, tokens, answers, time, attemptCostUsd, attemptTokens, outputTokens);
  }

  public Allowance withCostUsd(@Nullable BigDecimal usd) {
    return new Allowance(
        scope, usd, tokens, answers, time, attemptCostUsd, attemptTokens, outputTokens);
  }

  public Allowance withTime(@Nullable Duration left) {
    return new Allowance(
        scope, costUsd, tokens, answers, left, attemptCostUsd, attemptTokens, outputTokens);
  }
}
