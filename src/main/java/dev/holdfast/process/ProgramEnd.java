package dev.holdfast.process;

import java.time.Duration;

/** The end of a program. */
public sealed interface ProgramEnd {
  /**
   * @param code 0 to 255; 128 + n where signal n killed it
   */
  record Exited(int code) implements ProgramEnd {}

  /** The program ran for longer than it may, and was killed. */
  record TimedOut(Duration timeout) implements ProgramEnd {}
}
