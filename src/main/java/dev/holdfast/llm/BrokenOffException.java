package dev.holdfast.llm;

/** The calling thread was interrupted in a call that was sent, so that it was possibly billed. */
public final class BrokenOffException extends InterruptedException {
  private static final long serialVersionUID = 1;

  private final transient Usage usage;

  /**
   * @param usage what the call is to count for
   */
  public BrokenOffException(InterruptedException cause, Usage usage) {
    super(cause.getMessage());
    initCause(cause);
    this.usage = usage;
  }

  public Usage usage() {
    return usage;
  }
}
