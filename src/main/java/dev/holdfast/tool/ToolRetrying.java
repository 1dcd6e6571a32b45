package dev.holdfast.tool;

import java.time.Duration;

/**
 * A tool failed and will run again.
 *
 * @param next the number of the attempt to come
 * @param delay how long it waits before
 */
public record ToolRetrying(
    String toolName, int next, int maxAttempts, Duration delay, Exception error) {
  /** For a progress line (C33): {@code Tool 'grep' failed, retrying (2/3)...}. */
  public String text() {
    return "Tool '" + toolName + "' failed, retrying (" + next + "/" + maxAttempts + ")...";
  }
}
