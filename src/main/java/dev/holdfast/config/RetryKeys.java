package dev.holdfast.config;

import dev.holdfast.failure.Category;
import dev.holdfast.retry.BackoffType;
import dev.holdfast.retry.CategoryPolicy;
import dev.holdfast.retry.Counting;
import dev.holdfast.retry.DurationText;
import dev.holdfast.retry.RetrySettings;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The keys of the classifier and of retries. */
final class RetryKeys {
  static final Keys.Section SECTION = new Keys.Section();

  /** The keys of one category's policy. */
  record OfCategory(Key<Integer> maxRetries, Key<BackoffType> backoff, Key<Duration> baseDelay) {}

  private static final Map<Category, OfCategory> CATEGORIES = categoryKeys();

  static final Key<Duration> MAX_DELAY =
      SECTION.key(
          "retry.max-delay",
          new KeyType.Span(Duration.ZERO, Duration.ofDays(30)),
          "15m",
          "Caps backoff and a server's Retry-After alike.");
  static final Key<Double> JITTER =
      SECTION.key(
          "retry.jitter",
          KeyType.Decimal.FRACTION,
          "0.1",
          "The largest part of a delay that is added to it at random, so that tickets that failed"
              + " together do not come back together. 0 switches it off.");
  static final Key<Integer> SAME_ERROR_LIMIT =
      SECTION.key(
          "retry.same-error-limit",
          new KeyType.Whole("attempts", 0, 1000),
          "3",
          "So many attempts in a row with the same error put a ticket on hold although retries"
              + " remain; never for transient errors. 0 is off.");
  static final Key<Integer> CRASH_LIMIT =
      SECTION.key(
          "retry.crash-limit",
          new KeyType.Whole("crashes", 0, 1000),
          "3",
          "So many deaths of its worker since the last release put a ticket on hold. They use up no"
              + " retry; after the first it runs alone. 0 is off: they are failures as any other.");
  static final Key<Counting> COUNTING =
      SECTION.key(
          "retry.counting",
          new KeyType.Choice<>(List.of(Counting.values()), Counting::wireName),
          "shared",
          "shared: one count of retries per ticket. per_category: a count for each category of"
              + " error.");
  static final Key<List<Map<String, ?>>> CLASSIFIER_RULES =
      SECTION.key(
          "classifier.rules",
          new KeyType.Documents("a list of rules"),
          "",
          "Rules that are tried before the built-in ones; see docs/classification.md. In the"
              + " environment: the list as JSON.");

  private RetryKeys() {}

  private static Map<Category, OfCategory> categoryKeys() {
    Map<Category, OfCategory> keys = new EnumMap<>(Category.class);
    for (Category category : Category.values()) {
      CategoryPolicy policy = RetrySettings.defaults().of(category);
      String prefix = "retry.categories." + category.wireName() + ".";
      keys.put(
          category,
          new OfCategory(
              SECTION.key(
                  prefix + "max-retries",
                  new KeyType.Whole("retries", 0, 1000),
                  String.valueOf(policy.maxRetries()),
                  "Retries of a ticket that fails with such an error, after its first execution."),
              SECTION.key(
                  prefix + "backoff",
                  new KeyType.Choice<>(List.of(BackoffType.values()), BackoffType::wireName),
                  policy.backoff().type().wireName(),
                  "How the delay grows: none (at once), linear (base * n), exponential (base *"
                      + " 2^(n-1))."),
              SECTION.key(
                  prefix + "base-delay",
                  new KeyType.Span(Duration.ZERO, Duration.ofDays(7)),
                  DurationText.format(policy.backoff().base()),
                  "The delay before the first retry.")));
    }
    return Map.copyOf(keys);
  }

  static OfCategory of(Category category) {
    return Objects.requireNonNull(CATEGORIES.get(category));
  }
}
