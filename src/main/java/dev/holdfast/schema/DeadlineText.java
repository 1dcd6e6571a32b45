package dev.holdfast.schema;

import java.util.concurrent.locks.LockSupport;

/**
 * A text that is readable only until a deadline, so that a search with an expression that goes
 * astray in it comes to an end. Used by one thread.
 */
public final class DeadlineText implements CharSequence {
  private static final int CHECK_EVERY = 4096;
  private static final int PAUSE_EVERY = 64;

  private final String text;
  private final Runnable deadline;
  private int reads;
  private int checks;

  /**
   * @param deadline called now and then; throws when the time is over
   */
  public DeadlineText(String text, Runnable deadline) {
    this.text = text;
    this.deadline = deadline;
  }

  @Override
  public char charAt(int index) {
    if (++reads >= CHECK_EVERY) {
      reads = 0;
      check();
    }
    return text.charAt(index);
  }

  /**
   * Checks the deadline, and lets other virtual threads run now and then: this one would keep a
   * carrier from them.
   */
  private void check() {
    deadline.run();
    if (++checks % PAUSE_EVERY == 0) {
      LockSupport.parkNanos(1);
    }
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.substring(start, end);
  }

  @Override
  public String toString() {
    return text;
  }
}
