package dev.holdfast.repair.trace;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** Takes the events of a run, besides its journal. Thread-safe; never throws. */
public interface Trace {
  /** Hears of each step of a run that is worked on, on the thread that does it. Thread-safe. */
  @FunctionalInterface
  interface Steps {
    Steps NONE = step -> () -> {};

    /**
     * @return run when the step is over, on the same thread; once
     */
    Runnable begin(String step);
  }

  /** Reports a step as {@link Steps#begin} does. */
  default Runnable working(String step) {
    return Steps.NONE.begin(step);
  }

  /**
   * Takes what earlier attempts have journalled of this run; called once, before anything is
   * appended.
   */
  void begin(List<JsonNode> earlier);

  /** Takes the entries that were just journalled, in order. */
  void append(List<JsonNode> events);
}
