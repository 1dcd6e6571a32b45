package dev.holdfast.tool;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A failed tool call in words for people (C18, C32).
 *
 * @param suggestedFix what a person could do about it, or null
 * @param recoveryCommands commands that a person could run; often none
 */
public record ToolTrouble(
    Severity severity, @Nullable String suggestedFix, List<String> recoveryCommands) {
  public ToolTrouble {
    recoveryCommands = recoveryCommands == null ? List.of() : List.copyOf(recoveryCommands);
  }

  /** Returns the error's message and, on a line of its own, what a person could do about it. */
  public static String words(ToolExecutionException error) {
    String advice = of(error).advice();
    return error.getMessage() + (advice == null ? "" : "\n" + advice);
  }

  /** The hints of the error. */
  static ToolTrouble of(Throwable error) {
    return error instanceof ToolExecutionException failed
        ? new ToolTrouble(Severity.of(error), failed.suggestedFix(), failed.recoveryCommands())
        : new ToolTrouble(Severity.of(error), null, List.of());
  }

  /** A hint for the model or a person; null where the error gives no hint. */
  @Nullable String advice() {
    if (suggestedFix == null) {
      return null;
    }
    return recoveryCommands.isEmpty()
        ? suggestedFix
        : suggestedFix + " Run: " + String.join("; ", recoveryCommands);
  }
}
