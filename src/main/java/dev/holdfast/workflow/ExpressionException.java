package dev.holdfast.workflow;

/** An expression or a template that cannot be read, or has no value here; the message says why. */
public final class ExpressionException extends RuntimeException {
  ExpressionException(String message) {
    super(message);
  }

  ExpressionException(String message, Throwable cause) {
    super(message, cause);
  }
}
