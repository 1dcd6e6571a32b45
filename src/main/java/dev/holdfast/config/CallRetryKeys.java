package dev.holdfast.config;

import dev.holdfast.llm.CallRetryOptions;
import java.time.Duration;
import java.util.List;

/**
 * The keys for retries of model calls outside of an agent's turns; a design's targets may differ.
 */
final class CallRetryKeys {
  private static final Duration HOUR = Duration.ofHours(1);

  static final Key<Integer> MAX_RETRIES =
      Key.of(
          "provider.retry.max-retries",
          new KeyType.Whole("retries", 0, 100),
          "3",
          "Retries of a call of a repair or of an agent's summary, after its first try, where it"
              + " failed with a timeout, a 5xx or a broken connection. An agent's turns are retried"
              + " by their own rules.");
  static final Key<Duration> BASE_DELAY =
      Key.of(
          "provider.retry.base-delay",
          new KeyType.Span(Duration.ZERO, HOUR),
          "1s",
          "The delay before the first of them, a tenth more or less.");
  static final Key<Duration> MAX_DELAY =
      Key.of(
          "provider.retry.max-delay",
          new KeyType.Span(Duration.ZERO, HOUR),
          "10s",
          "The longest delay. Where a provider asks for a longer one there is no retry.");
  static final Key<Double> FACTOR =
      Key.of(
          "provider.retry.factor",
          new KeyType.Decimal(1, 100),
          "2",
          "How much longer each delay is than the one before.");

  /** In the order of the documentation. */
  static final List<Key<?>> ALL = List.of(MAX_RETRIES, BASE_DELAY, MAX_DELAY, FACTOR);

  private CallRetryKeys() {}

  static CallRetryOptions options(Values values) {
    return new CallRetryOptions(
        values.get(MAX_RETRIES), values.get(BASE_DELAY), values.get(MAX_DELAY), values.get(FACTOR));
  }
}
