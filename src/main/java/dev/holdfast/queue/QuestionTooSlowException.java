package dev.holdfast.queue;

import org.jspecify.annotations.Nullable;

/** The database had a limited time for an answer, and needed more. */
public final class QuestionTooSlowException extends StatementRefusedException {
  public QuestionTooSlowException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
