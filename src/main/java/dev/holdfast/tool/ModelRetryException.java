package dev.holdfast.tool;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a tool to ask the model for a better call (C19). The message is what the model is told.
 * It is no failure, so it stands outside our hierarchy (C18), is never retried (C5) and uses up no
 * attempt (C21).
 */
public class ModelRetryException extends RuntimeException {
  public ModelRetryException(String message) {
    super(message);
  }

  public ModelRetryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
