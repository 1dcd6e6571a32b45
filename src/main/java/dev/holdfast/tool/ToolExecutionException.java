package dev.holdfast.tool;

import dev.holdfast.ticket.HoldfastException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A tool failed in a way that may pass (C6): retried. */
public class ToolExecutionException extends HoldfastException {
  private final @Nullable String suggestedFix;
  private final List<String> recoveryCommands;

  public ToolExecutionException(String message) {
    this(message, null);
  }

  public ToolExecutionException(String message, @Nullable Throwable cause) {
    this(message, cause, null, List.of());
  }

  /**
   * @param suggestedFix what a person could do about it, or null
   * @param recoveryCommands commands that a person could run
   */
  public ToolExecutionException(
      String message,
      @Nullable Throwable cause,
      @Nullable String suggestedFix,
      List<String> recoveryCommands) {
    super(message, cause);
    this.suggestedFix = suggestedFix;
    this.recoveryCommands = List.copyOf(recoveryCommands);
  }

  public @Nullable String suggestedFix() {
    return suggestedFix;
  }

  public List<String> recoveryCommands() {
    return recoveryCommands;
  }
}
