package dev.holdfast.workflow;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** The next step of a workflow. */
sealed interface Plan {
  /**
   * The workflow waits for its steps.
   *
   * @param begins the steps that begin now
   * @param skipped all steps that are not worked
   * @param success the steps for which a success is enough
   * @param succeeded those of them that have had one
   */
  record Go(List<Begun> begins, List<String> skipped, List<String> success, List<String> succeeded)
      implements Plan {}

  /**
   * A step that begins.
   *
   * @param payloads one for each ticket
   * @param titles one for each ticket; empty where the step's design has none
   */
  record Begun(Step step, List<JsonNode> payloads, List<String> titles) {}

  /** All steps have ended. */
  record Done(JsonNode result) implements Plan {}

  /**
   * The templates of a step, as they stand in the design, give nothing here: a person corrects one.
   */
  record CannotBegin(String problem) implements Plan {}

  /** A person has to look at it. */
  record Hold(String reason) implements Plan {}
}
