package dev.holdfast.handler;

/** A design asks a provider that its worker does not have; the message says what to set. */
public final class ProviderMissingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ProviderMissingException(String message) {
    super(message);
  }
}
