package dev.holdfast.config;

import dev.holdfast.llm.CallRetryOptions;
import java.time.Duration;

/**
 * The keys for retries of model calls outside of an agent's turns; a design's targets may differ.
 */
final class CallRetryKeys {
  static final Keys.Section SECTION = new Keys.Section();

  private static final Duration HOUR = Duration.ofHours(1);

  static final Key<Integer> MAX_RETRIES =
      SECTION.key(
          "provider.retry.max-retries",
          new KeyType.Whole("retries", 0, 100),
          "3",
          "Retries of a call of a repair or of an agent's summary, after its first try, where it"
              + " failed with a timeout, a 5xx or a broken connection. An agent's turns are retried"
              + " by their own rules.");
  static final Key<Duration> BASE_DELAY =
      SECTION.key(
          "provider.retry.base-delay",
          new KeyType.Span(Duration.ZERO, HOUR),
          "1s",
          "The delay before the first of them, a tenth more or less.");
  static final Key<Duration> MAX_DELAY =
      SECTION.key(
          "provider.retry.max-delay",
          new KeyType.Span(Duration.ZERO, HOUR),
          "10s",
          "The longest delay. Where a provider asks for a longer one there is no retry.");
  static final Key<Double> FACTOR =
      SECTION.key(
          "provider.retry.factor",
          new KeyType.Decimal(1, 100),
          "2",
          "How much longer each delay is than the one before.");

  private CallRetryKeys() {}

  static CallRetryOptions options(Values values) {
    return new CallRetryOptions(
        values.get(MAX_RETRIES), values.get(BASE_DELAY), values.get(MAX_DELAY), values.get(FACTOR));
  }
}
