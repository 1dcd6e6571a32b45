package dev.holdfast.llm.account;

import java.time.Duration;

/**
 * The settings for cool-downs of accounts and for budgets.
 *
 * @param baseDelay the first cool-down where the provider names none; each further one in a row is
 *     twice as long
 * @param maxDelay the longest of those
 * @param maxHint the longest wait that a provider is believed
 * @param outageAfter signs of an outage in a row that make one; at least 1
 * @param spread the part of a cool-down by which the starts after its end are spread, 0 to 1
 * @param waitInSession the longest wait that a session sits out instead of giving its slot back
 * @param limitsPerModel whether a rate limit closes a model of an account or all of it
 * @param outputTokens what a call without a bound of its own is taken to write at worst
 * @param refuseUnpriced whether a model without a price may not be called where a budget is set
 */
public record AccountSettings(
    Duration baseDelay,
    Duration maxDelay,
    Duration maxHint,
    int outageAfter,
    double spread,
    Duration waitInSession,
    boolean limitsPerModel,
    int outputTokens,
    boolean refuseUnpriced) {
  /** The documented defaults. */
  public static final AccountSettings DEFAULT =
      new AccountSettings(
          Duration.ofSeconds(5),
          Duration.ofMinutes(5),
          Duration.ofHours(1),
          3,
          0.2,
          Duration.ofSeconds(5),
          false,
          8192,
          false);

  public AccountSettings {
    if (!baseDelay.isPositive() || outageAfter < 1 || outputTokens < 1) {
      throw new IllegalArgumentException(
          "delays and counts must be positive: " + baseDelay + ", " + outageAfter);
    }
  }
}
