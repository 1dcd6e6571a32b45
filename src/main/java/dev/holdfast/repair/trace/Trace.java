package dev.holdfast.repair.trace;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** Takes the events of a run, besides its journal. Thread-safe; never throws. */
public interface Trace {
  /** Is told of each step of a run that is worked, on the thread that works it. Thread-safe. */
  @FunctionalInterface
  interface Steps {
    Steps NONE = step -> () -> {};

    /**
     * @return run when the step is over, on the same thread; once
     */
    Runnable begin(String step);
  }

  /** As {@link Steps#begin}. */
  default Runnable working(String step) {
    return Steps.NONE.begin(step);
  }

  /** Once, before anything is appended: what earlier attempts have journalled of this run. */
  void begin(List<JsonNode> earlier);

  /** The entries that were journalled now, in order. */
  void append(List<JsonNode> events);
}
