package dev.holdfast.repair.trace;

import java.time.Duration;
import java.util.List;

/** Reads runs for people. Thread-safe. */
@FunctionalInterface
public interface RunReader {
  /** What was journalled within so long until now, by the database's clock, oldest first. */
  List<TraceEvent> events(Duration window);
}
