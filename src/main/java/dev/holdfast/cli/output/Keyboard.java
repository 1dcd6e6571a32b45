package dev.holdfast.cli.output;

import java.time.Duration;
import java.util.Optional;

/**
 * The keys of the terminal that a command runs in, read one by one. Closing it restores the
 * terminal. Used by one thread.
 */
public interface Keyboard extends AutoCloseable {
  /** Opens the keyboard, where there is one. */
  @FunctionalInterface
  interface Opener {
    /** The opener for commands whose input or output is no terminal. */
    Opener NONE = Optional::empty;

    Optional<Keyboard> open();
  }

  /**
   * Waits for Escape, and for no other key.
   *
   * @return true at once when it is pressed; false when the time is over
   */
  boolean escapePressed(Duration atMost) throws InterruptedException;

  /** Returns the number of characters in a line of the terminal. */
  int columns();

  @Override
  void close();
}
