package dev.holdfast.tool;

import java.time.Duration;

/** The time that tools may still run; what they work for ends then. Thread-safe. */
@FunctionalInterface
public interface TimeLeft {
  /** For tools that work for nothing with a deadline. */
  TimeLeft UNBOUNDED = () -> Duration.ofDays(3650);

  /** Zero once the deadline is over, never negative. */
  Duration get();
}
