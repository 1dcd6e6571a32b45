package dev.holdfast.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The keys of cool-downs, limits and budgets; {@link Keys#ALL} has them too. */
final class SpendKeys {
  static final Keys.Section SECTION = new Keys.Section();

  private static final Duration DAY = Duration.ofDays(1);
  private static final int MANY = 2_000_000_000;

  static final Key<Duration> COOLDOWN_BASE_DELAY =
      SECTION.key(
          "cooldown.base-delay",
          new KeyType.Span(Duration.ofMillis(1), DAY),
          "5s",
          "How long nobody in the cluster calls a provider that is limited, overloaded or out,"
              + " where it names no time itself. Each further time in a row is twice as long.");
  static final Key<Duration> COOLDOWN_MAX_DELAY =
      SECTION.key(
          "cooldown.max-delay",
          new KeyType.Span(Duration.ofMillis(1), DAY),
          "5m",
          "The longest of those.");
  static final Key<Duration> COOLDOWN_MAX_HINT =
      SECTION.key(
          "cooldown.max-hint",
          new KeyType.Span(Duration.ofMillis(1), Duration.ofDays(31)),
          "1h",
          "The longest wait that a provider is believed; after it, one call tries.");
  static final Key<Integer> COOLDOWN_OUTAGE_AFTER =
      SECTION.key(
          "cooldown.outage-after",
          new KeyType.Whole("failures", 1, 1000),
          "3",
          "Refused connections and server errors in a row, over all workers, that are taken for an"
              + " outage. Errors that the request itself may cause count only from different"
              + " tickets.");
  static final Key<Double> COOLDOWN_SPREAD =
      SECTION.key(
          "cooldown.spread",
          KeyType.Decimal.FRACTION,
          "0.2",
          "The part of a cool-down by which the starts after its end are spread, at least 1s; 0 is"
              + " no spread.");
  static final Key<Duration> COOLDOWN_WAIT_IN_SESSION =
      SECTION.key(
          "cooldown.wait-in-session",
          new KeyType.Span(Duration.ZERO, Duration.ofMinutes(1)),
          "5s",
          "The longest cool-down whose end a running agent waits for, at least 1s; for a longer one"
              + " its ticket gives the slot back until then, and uses up no retry.");
  static final Key<Duration> COOLDOWN_NOTICE_AFTER =
      SECTION.key(
          "cooldown.notice-after",
          new KeyType.Span(Duration.ZERO, Duration.ofDays(31)),
          "15m",
          "How long a provider has to give no answer before people are told, once in an outage. 0s"
              + " is never.");
  static final Key<Duration> COOLDOWN_HOLD_AFTER =
      SECTION.key(
          "cooldown.hold-after",
          new KeyType.Span(Duration.ZERO, Duration.ofDays(365)),
          "6h",
          "How long a ticket is put off without one answer of its providers before it is held; it"
              + " goes on by itself when one answers again. 0s is never.");
  static final Key<Duration> COOLDOWN_POLL_INTERVAL =
      SECTION.key(
          "cooldown.poll-interval",
          new KeyType.Span(Duration.ofMillis(10), Duration.ofMinutes(10)),
          "1s",
          "How often a worker reads the cool-downs where notifications do not come through: how"
              + " late it may learn of one.");
  static final Key<String> COOLDOWN_SCOPE =
      SECTION.key(
          "cooldown.scope",
          new KeyType.Choice<>(List.of("account", "model"), word -> word),
          "account",
          "What a rate limit closes: all models of the account, or the one that met it.");
  static final Key<Optional<BigDecimal>> ATTEMPT_COST =
      money("limits.attempt.max-cost-usd", "What one attempt of an agent's ticket may cost.");
  static final Key<Integer> ATTEMPT_TOKENS =
      SECTION.key(
          "limits.attempt.max-tokens",
          new KeyType.Whole("tokens", 0, MANY),
          "0",
          "Tokens, read and written, that one attempt may use. 0 is no bound.");
  static final Key<Optional<BigDecimal>> TICKET_COST =
      money(
          "limits.ticket.max-cost-usd",
          "What an agent's ticket may cost over all attempts, where neither its design nor the"
              + " ticket itself says it.");
  static final Key<Integer> TICKET_TOKENS =
      SECTION.key(
          "limits.ticket.max-tokens",
          new KeyType.Whole("tokens", 0, MANY),
          "0",
          "Tokens that a ticket may use over all attempts. 0 is no bound.");
  static final Key<Integer> TICKET_CALLS =
      SECTION.key(
          "limits.ticket.max-calls",
          new KeyType.Whole("answers", 0, MANY),
          "0",
          "Answers of models that a ticket may get over all attempts. 0 is no bound.");
  static final Key<Duration> TICKET_TIME =
      SECTION.key(
          "limits.ticket.max-time",
          new KeyType.Span(Duration.ZERO, Duration.ofDays(3650)),
          "0s",
          "How long a ticket may be worked on over all attempts. 0s is no bound.");
  static final Key<Optional<BigDecimal>> BUDGETS_PER_DAY =
      money(
          "budgets.per-day",
          "What all calls of models of all workers may cost in a day (UTC). holdfast budgets raise"
              + " changes it until this changes.");
  static final Key<List<Map<String, ?>>> BUDGETS_PER_DESIGN =
      SECTION.key(
          "budgets.per-design",
          new KeyType.Documents("a list of {design, usd, per}; per is day, the default, or total"),
          "",
          "What the tickets of a design may cost together. In the environment: the list as JSON.");
  static final Key<List<Map<String, ?>>> BUDGETS_PER_KEY =
      SECTION.key(
          "budgets.per-key",
          new KeyType.Documents(
              "a list of {provider, key, usd, per}; key is key-1, key-2 ..., or *"),
          "",
          "What the calls under one key of a provider may cost; * is each of its keys. In the"
              + " environment: the list as JSON.");
  static final Key<Integer> BUDGETS_OUTPUT_TOKENS =
      SECTION.key(
          "budgets.output-tokens",
          new KeyType.Whole("tokens", 1, 10_000_000),
          "8192",
          "What a call may write at most where its design has no limits.max_output_tokens and a"
              + " budget or a limit of money applies: that is reserved before it is sent, and the"
              + " provider is told it.");
  static final Key<String> BUDGETS_UNPRICED =
      SECTION.key(
          "budgets.unpriced",
          new KeyType.Choice<>(List.of("allow", "refuse"), word -> word),
          "allow",
          "Whether a model without a price may be called where a budget is set. allow: its calls"
              + " count as nothing, and a warning says so once; refuse: the ticket is held.");

  private SpendKeys() {}

  private static Key<Optional<BigDecimal>> money(String name, String description) {
    return SECTION.key(name, new KeyType.Money(), "", description);
  }
}
