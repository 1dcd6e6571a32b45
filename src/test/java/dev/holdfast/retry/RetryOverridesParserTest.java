package dev.holdfast.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.failure.Category;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RetryOverridesParserTest {
  @Test
  @DisplayName("reads every key, with hyphens as well as underscores, numbers and texts")
  void everything() {
    RetryOverrides overrides =
        RetryOverridesParser.parse(
            Map.of(
                "categories",
                Map.of(
                    "api-error", Map.of("max-retries", 5, "backoff", "Exponential"),
                    "transient", Map.of("base_delay", "250ms")),
                "max_delay",
                "30d",
                "jitter",
                0.25,
                "same-error-limit",
                "0",
                "crash_limit",
                1000,
                "counting",
                "per-category"));

    assertThat(overrides)
        .isEqualTo(
            new RetryOverrides(
                Map.of(
                    Category.API_ERROR,
                    new CategoryOverride(5, BackoffType.EXPONENTIAL, null),
                    Category.TRANSIENT,
                    new CategoryOverride(null, null, Duration.ofMillis(250))),
                Duration.ofDays(30),
                0.25,
                0,
                1000,
                Counting.PER_CATEGORY));
  }

  @Test
  @DisplayName("an override changes what it names and nothing else")
  void over() {
    RetrySettings settings =
        RetrySettings.defaults()
            .with(
                RetryOverridesParser.parse(
                    Map.of("categories", Map.of("unknown", Map.of("max_retries", 7)))));

    assertThat(settings.of(Category.UNKNOWN))
        .isEqualTo(new CategoryPolicy(7, new Backoff(BackoffType.LINEAR, Duration.ofSeconds(15))));
    assertThat(settings.of(Category.TRANSIENT))
        .isEqualTo(RetrySettings.defaults().of(Category.TRANSIENT));
    assertThat(settings.maxDelay()).isEqualTo(RetrySettings.defaults().maxDelay());
  }

  @Test
  @DisplayName("A32: what a decision left beside the overrides is passed over")
  void leftByDecision() {
    assertThat(
            RetryOverridesParser.parse(
                Map.of(
                    "errorCategory", "transient",
                    "maxRetries", 3,
                    "backoffType", "exponential",
                    "nextDelayMs", 30000,
                    "attemptsRemaining", 3)))
        .isEqualTo(RetryOverrides.NONE);
    assertThat(RetryOverridesParser.parse(Map.of())).isEqualTo(RetryOverrides.NONE);
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        Arguments.of(
            Map.of("surprise", 1),
            "unknown key \"surprise\" in retry; known are [categories, counting, crash_limit,"
                + " jitter, max_delay, same_error_limit]"),
        Arguments.of(
            Map.of("categories", Map.of("transient", Map.of("retries", 1))),
            "unknown key \"retries\" in retry.categories.transient; known are [backoff,"
                + " base_delay, max_retries]"),
        Arguments.of(
            Map.of("categories", Map.of("fatal", Map.of())),
            "\"fatal\" is not a category: [transient, api_error, code_error, system_error,"
                + " unknown]"),
        Arguments.of(Map.of("categories", List.of()), "categories must be an object, not \"[]\""),
        Arguments.of(
            Map.of("categories", Map.of("unknown", 5)), "unknown must be an object, not \"5\""),
        Arguments.of(
            Map.of("max_delay", "soon"),
            "max_delay: \"soon\" is not a duration: write a whole number and a unit, as in 500ms,"
                + " 30s, 5m, 2h, 7d"),
        Arguments.of(Map.of("max_delay", "31d"), "max_delay: \"31d\" is longer than 30d"),
        Arguments.of(
            Map.of("max_delay", "999999999999999d"),
            "max_delay: \"999999999999999d\" is longer than 30d"),
        Arguments.of(Map.of("jitter", 1.1), "jitter: \"1.1\" is not a number from 0 to 1"),
        Arguments.of(Map.of("jitter", "NaN"), "jitter: \"NaN\" is not a number from 0 to 1"),
        Arguments.of(
            Map.of("crash_limit", -1), "crash_limit: \"-1\" is not a whole number from 0 to 1000"),
        Arguments.of(
            Map.of("crash_limit", 2147483648L),
            "crash_limit: \"2147483648\" is not a whole number from 0 to 1000"),
        Arguments.of(
            Map.of("counting", "twice"), "counting: \"twice\" is none of [shared, per_category]"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  @DisplayName("a wrong document is refused in one line that names the key and what it may be")
  void refused(Map<String, Object> document, String message) {
    assertThatThrownBy(() -> RetryOverridesParser.parse(document))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  @DisplayName("whatever the document, it is read or refused, and what is read is in range")
  void garbage() {
    Random random = new Random(20_261_121);
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      Map<String, @Nullable Object> document = document(random, 0);
      try {
        RetrySettings settings =
            RetrySettings.defaults().with(RetryOverridesParser.parse(document));
        assertThat(settings.maxDelay()).isBetween(Duration.ZERO, Duration.ofDays(30));
        assertThat(settings.jitter()).isBetween(0.0, 1.0);
        read++;
      } catch (IllegalArgumentException e) {
        assertThat(e.getMessage()).isNotBlank().doesNotContain("\n");
      }
    }
    assertThat(read).isBetween(1000, 19_000);
  }

  private static final List<String> KEYS =
      List.of(
          "categories",
          "max_delay",
          "jitter",
          "same_error_limit",
          "crash-limit",
          "counting",
          "transient",
          "unknown",
          "max_retries",
          "backoff",
          "base_delay",
          "maxRetries",
          "x");

  private static Map<String, @Nullable Object> document(Random random, int depth) {
    Map<String, @Nullable Object> document = new HashMap<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      document.put(KEYS.get(random.nextInt(KEYS.size())), value(random, depth));
    }
    return document;
  }

  private static @Nullable Object value(Random random, int depth) {
    return switch (random.nextInt(10)) {
      case 0 -> null;
      case 1 -> random.nextInt(-2, 5);
      case 2 -> random.nextLong();
      case 3 -> random.nextDouble(-0.5, 1.5);
      case 4 -> List.of("5s", "0", "7d", "400d", "-1s", "1e9h").get(random.nextInt(6));
      case 5 -> List.of("linear", "none", "shared", "per-category").get(random.nextInt(4));
      case 6 -> random.nextBoolean();
      case 7 -> new ArrayList<>(List.of("5s"));
      default -> depth > 2 ? "deep" : document(random, depth + 1);
    };
  }
}
