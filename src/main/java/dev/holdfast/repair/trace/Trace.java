package dev.holdfast.repair.trace;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** Takes the events of a run, besides its journal. Thread-safe; never throws. */
public interface Trace {
  Trace NONE =
      new Trace() {
        @Override
        public void begin(List<JsonNode> earlier) {}

        @Override
        public void append(List<JsonNode> events) {}
      };

  /** Once, before anything is appended: what earlier attempts have journalled of this run. */
  void begin(List<JsonNode> earlier);

  /** The entries that were journalled now, in order. */
  void append(List<JsonNode> events);
}
