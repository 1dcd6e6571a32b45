package dev.holdfast.tool;

import dev.holdfast.retry.Backoff;
import dev.holdfast.retry.BackoffType;
import dev.holdfast.retry.Sleeper;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads a model's output as JSON (C23), never a tool's. Text that cannot be read is got anew, for
 * the same text would not read better the second time.
 */
public final class JsonParseRetry {
  /** After the first try. */
  public static final int MAX_RETRIES = 10;

  private static final Backoff BACKOFF =
      new Backoff(BackoffType.EXPONENTIAL, Duration.ofMillis(100));
  private static final Duration MAX_DELAY = Duration.ofSeconds(5);

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private final Sleeper sleeper;

  public JsonParseRetry(Sleeper sleeper) {
    this.sleeper = sleeper;
  }

  /**
   * @param source makes the text, a new one at each call; what it throws comes out at once
   * @throws ToolBatchingJsonException if the last text cannot be read either
   */
  public JsonNode parse(Callable<String> source) throws Exception {
    @Nullable JacksonException last = null;
    for (int tries = 0; tries <= MAX_RETRIES; tries++) {
      if (tries > 0) {
        sleeper.sleep(BACKOFF.delay(tries, MAX_DELAY));
      }
      try {
        return read(source.call());
      } catch (JacksonException e) {
        last = e;
      }
    }
    throw new ToolBatchingJsonException(
        "The model's output is no JSON after " + MAX_RETRIES + " retries", last);
  }

  private static JsonNode read(String text) {
    return MAPPER.readTree(text);
  }
}
