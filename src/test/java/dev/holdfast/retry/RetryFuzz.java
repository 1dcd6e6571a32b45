package dev.holdfast.retry;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import java.time.Duration;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Durations and retry settings as people write them. */
public final class RetryFuzz {
  private static final int LONGEST_REFUSAL = 1_000;
  private static final JsonMapper MAPPER = new JsonMapper();

  public static final FuzzTarget DURATION = FuzzTarget.ofText("duration", RetryFuzz::duration);
  public static final FuzzTarget OVERRIDES = FuzzTarget.ofText("overrides", RetryFuzz::overrides);

  private RetryFuzz() {}

  private static void duration(String text) {
    Duration duration;
    try {
      duration = DurationText.parse(text);
    } catch (IllegalArgumentException e) {
      require(String.valueOf(e.getMessage()).contains("duration"), "a refusal says what it wants");
      return;
    }
    require(!duration.isNegative(), "no duration is negative");
    String written = DurationText.format(duration);
    require(DurationText.parse(written).equals(duration), "it reads as it is written: " + written);
  }

  private static void overrides(String text) {
    Object document;
    try {
      document = MAPPER.readValue(text, Object.class);
    } catch (JacksonException e) {
      return;
    }
    if (document instanceof Map<?, ?> map) {
      try {
        bounded(RetryOverridesParser.parse(map));
      } catch (IllegalArgumentException e) {
        require(
            String.valueOf(e.getMessage()).length() <= LONGEST_REFUSAL,
            "a refusal is short: " + e.getMessage());
      }
    }
  }

  private static void bounded(RetryOverrides overrides) {
    Double jitter = overrides.jitter();
    require(jitter == null || (jitter >= 0 && jitter <= 1), "jitter is a fraction");
    Duration most = overrides.maxDelay();
    require(most == null || most.compareTo(Duration.ofDays(30)) <= 0, "30 days at most");
    overrides
        .categories()
        .values()
        .forEach(
            each ->
                require(
                    each.baseDelay() == null || each.baseDelay().compareTo(Duration.ofDays(7)) <= 0,
                    "a base delay of 7 days at most"));
  }
}
