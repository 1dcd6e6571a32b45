package dev.holdfast.tool.sandbox;

/**
 * A sandbox could not be started this time, so its program did not run. The fault is neither the
 * model's nor the program's.
 */
public final class SandboxFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SandboxFailedException(String message) {
    super(message);
  }
}
