package dev.holdfast.tool;

import dev.holdfast.llm.ToolCall;
import java.time.Duration;

/**
 * A tool failed and will run again.
 *
 * @param next the number of the attempt to come
 * @param delay how long it waits before
 */
public record ToolRetrying(
    ToolCall call, int next, int maxAttempts, Duration delay, Exception error) {
  /** Returns the text of a progress line (C33): {@code Tool 'grep' failed, retrying (2/3)...}. */
  public String text() {
    return "Tool '" + call.name() + "' failed, retrying (" + next + "/" + maxAttempts + ")...";
  }

  /** The failure as it is shown, and what a person could do about it. */
  public ToolTrouble trouble() {
    return ToolTrouble.of(error);
  }

  /** The failure in one bounded line. */
  public String errorLine() {
    return ErrorLine.of(error);
  }
}
