package dev.holdfast.retry;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ShortText;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads overrides from a parsed document: {@code {categories: {transient: {max_retries: 5, backoff:
 * linear, base_delay: 1m}}, max_delay: 30m, jitter: 0, same_error_limit: 0}}. Hyphens may stand for
 * underscores. Unknown keys are an error, except those that a retry decision itself leaves in
 * {@code retry_strategy} (A32).
 */
public final class RetryOverridesParser {
  private static final int LONGEST_SHOWN = 100;
  private static final Set<String> KEYS =
      Set.of("categories", "max_delay", "jitter", "same_error_limit", "crash_limit", "counting");
  private static final Set<String> CATEGORY_KEYS = Set.of("max_retries", "backoff", "base_delay");
  private static final Set<String> LEFT_BY_DECISIONS =
      Set.of("errorCategory", "maxRetries", "backoffType", "nextDelayMs", "attemptsRemaining");

  /** The highest count: the same range as in the configuration. */
  private static final int HIGHEST_COUNT = 1000;

  private static final Duration LONGEST_BASE_DELAY = Duration.ofDays(7);
  private static final Duration LONGEST_DELAY = Duration.ofDays(30);

  private RetryOverridesParser() {}

  /**
   * @throws IllegalArgumentException that names the key and what it may be
   */
  public static RetryOverrides parse(Map<?, ?> document) {
    Map<String, Object> values = checked(document, KEYS, "retry");
    Map<Category, CategoryOverride> categories = new EnumMap<>(Category.class);
    if (values.get("categories") != null) {
      asMap("categories", values.get("categories"))
          .forEach(
              (name, override) ->
                  categories.put(category(String.valueOf(name)), category(name, override)));
    }
    return new RetryOverrides(
        categories,
        read(values, "max_delay", value -> duration(value, LONGEST_DELAY)),
        read(values, "jitter", RetryOverridesParser::fraction),
        read(values, "same_error_limit", RetryOverridesParser::count),
        read(values, "crash_limit", RetryOverridesParser::count),
        read(values, "counting", value -> oneOf(Counting.values(), value)));
  }

  private static CategoryOverride category(@Nullable Object name, @Nullable Object document) {
    Map<String, Object> values =
        checked(asMap(String.valueOf(name), document), CATEGORY_KEYS, "retry.categories." + name);
    return new CategoryOverride(
        read(values, "max_retries", RetryOverridesParser::count),
        read(values, "backoff", value -> oneOf(BackoffType.values(), value)),
        read(values, "base_delay", value -> duration(value, LONGEST_BASE_DELAY)));
  }

  private static Category category(String name) {
    return Category.ofWireName(name.replace('-', '_'))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "\""
                        + shown(name)
                        + "\" is not a category: "
                        + Arrays.stream(Category.values()).map(Category::wireName).toList()));
  }

  private static Map<String, Object> checked(Map<?, ?> document, Set<String> known, String where) {
    Map<String, Object> values = new HashMap<>();
    document.forEach(
        (key, value) -> {
          String name = String.valueOf(key);
          String plain = name.replace('-', '_');
          if (known.contains(plain)) {
            values.put(plain, value);
          } else if (!LEFT_BY_DECISIONS.contains(name)) {
            throw new IllegalArgumentException(
                "unknown key \"%s\" in %s; known are %s"
                    .formatted(shown(name), where, known.stream().sorted().toList()));
          }
        });
    return values;
  }

  private static Map<?, ?> asMap(String key, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalArgumentException(key + " must be an object, not \"" + shown(value) + "\"");
  }

  private static <T> @Nullable T read(
      Map<String, Object> values, String key, Function<Object, T> reader) {
    Object value = values.get(key);
    if (value == null) {
      return null;
    }
    try {
      return reader.apply(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(key + ": " + e.getMessage(), e);
    }
  }

  private static Duration duration(Object value, Duration longest) {
    Duration duration = DurationText.parse(String.valueOf(value));
    if (duration.compareTo(longest) > 0) {
      throw new IllegalArgumentException(
          "\"" + shown(value) + "\" is longer than " + DurationText.format(longest));
    }
    return duration;
  }

  private static Integer count(Object value) {
    try {
      int number = Integer.parseInt(String.valueOf(value));
      if (number >= 0 && number <= HIGHEST_COUNT) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The error is reported below, like that of a value out of range.
    }
    throw new IllegalArgumentException(
        "\"" + shown(value) + "\" is not a whole number from 0 to " + HIGHEST_COUNT);
  }

  private static Double fraction(Object value) {
    try {
      double number = Double.parseDouble(String.valueOf(value));
      if (number >= 0 && number <= 1) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The error is reported below, like that of a value out of range.
    }
    throw new IllegalArgumentException("\"" + shown(value) + "\" is not a number from 0 to 1");
  }

  private static <E extends Enum<E>> E oneOf(E[] values, Object value) {
    String wanted = String.valueOf(value).replace('-', '_').toUpperCase(Locale.ROOT);
    return Arrays.stream(values)
        .filter(each -> each.name().equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "\""
                        + shown(value)
                        + "\" is none of "
                        + List.of(values).toString().toLowerCase(Locale.ROOT)));
  }

  /** Returns as much of the refused value as a message takes. */
  private static String shown(@Nullable Object value) {
    return ShortText.of(String.valueOf(value), LONGEST_SHOWN);
  }
}
