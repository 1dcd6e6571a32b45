package dev.holdfast.tool;

import dev.holdfast.secret.Secrets;
import java.time.Duration;

/**
 * The settings of a session's tools.
 *
 * @param width how many calls run at once (C31); default 4, or the number of processors where that
 *     is less
 * @param callTimeout the longest a single attempt may take; above the tools' own limits, so that it
 *     ends only those which hang; default 15 min
 * @param stopGrace how long a stopped tool may take to end; default 5 s
 * @param maxOutput how much of an answer the model is shown, in bytes of UTF-8; default 32 KiB
 * @param secrets that no answer may tell; default none
 */
public record ToolSettings(
    ToolRetrySettings retry,
    int width,
    Duration callTimeout,
    Duration stopGrace,
    int maxOutput,
    Secrets secrets) {
  private static final int SMALLEST_OUTPUT = 1024;

  /**
   * @throws ConfigurationException if a value cannot be
   */
  public ToolSettings {
    if (width < 1 || !callTimeout.isPositive() || stopGrace.isNegative()) {
      throw new ConfigurationException(
          ("tools run at least one at a time and for some time, but width is %s,"
                  + " callTimeout %s and stopGrace %s")
              .formatted(width, callTimeout, stopGrace));
    }
    if (maxOutput < SMALLEST_OUTPUT) {
      throw new ConfigurationException(
          "a tool's answer may have 1024 bytes or more, but maxOutput is " + maxOutput);
    }
  }

  public static ToolSettings defaults() {
    return new ToolSettings(
        ToolRetrySettings.defaults(),
        Math.min(4, Runtime.getRuntime().availableProcessors()),
        Duration.ofMinutes(15),
        Duration.ofSeconds(5),
        32 * 1024,
        Secrets.NONE);
  }

  public ToolSettings withRetry(ToolRetrySettings other) {
    return new ToolSettings(other, width, callTimeout, stopGrace, maxOutput, secrets);
  }

  public ToolSettings withWidth(int other) {
    return new ToolSettings(retry, other, callTimeout, stopGrace, maxOutput, secrets);
  }

  public ToolSettings withCallTimeout(Duration other) {
    return new ToolSettings(retry, width, other, stopGrace, maxOutput, secrets);
  }

  public ToolSettings withSecrets(Secrets other) {
    return new ToolSettings(retry, width, callTimeout, stopGrace, maxOutput, other);
  }

  public ToolSettings withStopGrace(Duration other) {
    return new ToolSettings(retry, width, callTimeout, other, maxOutput, secrets);
  }
}
