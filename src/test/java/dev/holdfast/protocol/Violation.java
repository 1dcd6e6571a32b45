package dev.holdfast.protocol;

/** The database and the model differ. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Violation(String message) {
    super(message);
  }
}
