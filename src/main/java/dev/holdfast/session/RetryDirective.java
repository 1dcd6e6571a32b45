package dev.holdfast.session;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to do after a failed attempt (B1).
 *
 * @param backoffMs how long to wait first; not a number or negative counts as absent (B28)
 * @param logMessage for the log
 * @param systemMessage a notice that the next attempt's model is shown
 * @param sources where the advice comes from
 */
public record RetryDirective(
    Action action,
    @Nullable Double backoffMs,
    @Nullable String logMessage,
    @Nullable String systemMessage,
    List<String> sources) {
  /** What comes next. */
  public enum Action {
    /** Another attempt, on the next target. */
    RETRY,
    /** The same; the target did not fit the request (B16). */
    SKIP_PROVIDER,
    /** The session ends (B19). */
    ABORT
  }

  public RetryDirective {
    sources = List.copyOf(sources);
  }

  public static RetryDirective of(Action action, @Nullable Double backoffMs) {
    return new RetryDirective(action, backoffMs, null, null, List.of());
  }
}
