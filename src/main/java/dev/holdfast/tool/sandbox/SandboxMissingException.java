package dev.holdfast.tool.sandbox;

/** Programs must be confined here and cannot be; the message says what a person can do. */
public final class SandboxMissingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SandboxMissingException(String message) {
    super(message);
  }
}
