package dev.holdfast.tool;

import java.time.Duration;

/** The time that tools may still run; the work that they run for ends then. Thread-safe. */
@FunctionalInterface
public interface TimeLeft {
  /** The time for tools that run for work without a deadline. */
  TimeLeft UNBOUNDED = () -> Duration.ofDays(3650);

  /** Zero once the deadline is over, never negative. */
  Duration get();
}
