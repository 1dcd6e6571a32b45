package dev.holdfast.tool;

import org.jspecify.annotations.Nullable;

/**
 * A call was sent and its answer never came: it may or may not have taken effect. A tool that is
 * not idempotent is not run again after it (C38).
 */
public class PossiblyAppliedException extends ToolExecutionException {
  public PossiblyAppliedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
