package dev.holdfast.session;

import dev.holdfast.schema.Enqueues;
import dev.holdfast.session.context.ContextSettings;
import dev.holdfast.session.retry.AutoRetrySettings;
import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A design's settings for its sessions.
 *
 * @param system the system prompt; "" for none
 * @param reportSchema what {@code data} of the final report must be; null where it has {@code
 *     content}
 * @param limits of turns, attempts, time and money
 * @param autoRetry of whole turns
 * @param loops when it goes round in circles
 * @param context of the model's window
 * @param allowance what it may use beside the limits
 * @param enqueues which tickets its success may add
 */
public record SessionSettings(
    String system,
    @Nullable JsonNode reportSchema,
    Limits limits,
    AutoRetrySettings autoRetry,
    LoopSettings loops,
    ContextSettings context,
    Allowance allowance,
    Enqueues enqueues) {

  /**
   * @param maxTurns the last one is the final turn (B43)
   * @param maxRetries attempts of one turn in all, the first included, over all targets (B4); calls
   *     of keys that are refused do not count
   * @param llmTimeout of one call (B18)
   * @param maxOutputTokens null for the provider's default
   * @param maxCostUsd of the whole session, resumed ones included; null for no bound
   */
  public record Limits(
      int maxTurns,
      int maxRetries,
      Duration llmTimeout,
      @Nullable Integer maxOutputTokens,
      @Nullable BigDecimal maxCostUsd) {
    public static final Limits DEFAULT = new Limits(20, 3, Duration.ofMinutes(2), null, null);

    public Limits {
      if (maxTurns < 1 || maxRetries < 1 || !llmTimeout.isPositive()) {
        throw new IllegalArgumentException(
            "turns, attempts and timeout must be positive: %s, %s, %s"
                .formatted(maxTurns, maxRetries, llmTimeout));
      }
    }
  }

  /** The documented defaults. */
  public static SessionSettings of(String system) {
    return new SessionSettings(
        system,
        null,
        Limits.DEFAULT,
        AutoRetrySettings.DEFAULT,
        LoopSettings.DEFAULT,
        ContextSettings.DEFAULT,
        Allowance.NONE,
        Enqueues.NONE);
  }

  public SessionSettings withReportSchema(@Nullable JsonNode schema) {
    return new SessionSettings(
        system, schema, limits, autoRetry, loops, context, allowance, enqueues);
  }

  public SessionSettings withLimits(Limits other) {
    return new SessionSettings(
        system, reportSchema, other, autoRetry, loops, context, allowance, enqueues);
  }

  public SessionSettings withAutoRetry(AutoRetrySettings other) {
    return new SessionSettings(
        system, reportSchema, limits, other, loops, context, allowance, enqueues);
  }

  public SessionSettings withLoops(LoopSettings other) {
    return new SessionSettings(
        system, reportSchema, limits, autoRetry, other, context, allowance, enqueues);
  }

  public SessionSettings withContext(ContextSettings other) {
    return new SessionSettings(
        system, reportSchema, limits, autoRetry, loops, other, allowance, enqueues);
  }

  public SessionSettings withAllowance(Allowance other) {
    return new SessionSettings(
        system, reportSchema, limits, autoRetry, loops, context, other, enqueues);
  }

  public SessionSettings withEnqueues(Enqueues other) {
    return new SessionSettings(
        system, reportSchema, limits, autoRetry, loops, context, allowance, other);
  }
}
