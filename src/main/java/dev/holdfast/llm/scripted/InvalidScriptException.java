package dev.holdfast.llm.scripted;

import org.jspecify.annotations.Nullable;

/** A script that cannot be played; the message is one line and names the place. */
public final class InvalidScriptException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  InvalidScriptException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
