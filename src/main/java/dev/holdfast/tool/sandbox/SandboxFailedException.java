package dev.holdfast.tool.sandbox;

/**
 * A sandbox could not be started this time, so its program did not run: nobody's fault but ours.
 */
public final class SandboxFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SandboxFailedException(String message) {
    super(message);
  }
}
