package dev.holdfast.repair.trace;

import java.time.Duration;
import java.util.List;

/** Reads runs for people. Thread-safe. */
@FunctionalInterface
public interface RunReader {
  /** The journal entries of the last span of time, by the database's clock, oldest first. */
  List<TraceEvent> events(Duration window);
}
