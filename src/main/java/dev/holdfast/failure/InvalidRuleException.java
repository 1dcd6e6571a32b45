package dev.holdfast.failure;

/** A classifier rule that cannot be used; the message is one line and names the next step. */
public final class InvalidRuleException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  InvalidRuleException(String message) {
    super(message);
  }
}
