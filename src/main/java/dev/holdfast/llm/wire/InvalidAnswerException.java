package dev.holdfast.llm.wire;

import org.jspecify.annotations.Nullable;

/** HTTP 200 with something that is no answer. */
public final class InvalidAnswerException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public InvalidAnswerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
