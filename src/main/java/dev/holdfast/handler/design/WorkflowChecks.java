package dev.holdfast.handler.design;

import dev.holdfast.schema.Question;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.workflow.WorkflowDesign;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Checks a design of kind workflow for what a schema cannot say. */
final class WorkflowChecks {
  private static final List<String> OF_PEOPLE = List.of("ask", "form");
  private static final List<String> OF_DESIGNS = List.of("payload", "for_each", "breadth");

  private WorkflowChecks() {}

  /**
   * @throws InvalidInputException naming the step
   */
  static void check(ObjectNode document) {
    document.path("steps").forEachEntry(WorkflowChecks::check);
    try {
      WorkflowDesign.of(document);
    } catch (InvalidInputException e) {
      throw refused(String.valueOf(e.getMessage()));
    }
  }

  private static void check(String name, JsonNode step) {
    boolean human = step.has("kind");
    if (human == step.has("design")) {
      throw refused("step " + name + " needs either a design or kind: human");
    }
    for (String key : human ? OF_DESIGNS : OF_PEOPLE) {
      if (step.has(key)) {
        throw refused(
            "step %s: %s is for steps %s"
                .formatted(name, key, human ? "with a design" : "of people"));
      }
    }
    if (step.has("breadth") && !step.has("for_each")) {
      throw refused("step " + name + ": breadth goes with for_each");
    }
    if (step.has("form")) {
      try {
        new Question("?", List.of(), step.get("form"));
      } catch (IllegalArgumentException e) {
        throw refused(
            "step "
                + name
                + ": form: "
                + String.valueOf(e.getMessage()).replace("the question cannot be asked: ", ""));
      }
    }
  }

  private static InvalidInputException refused(String why) {
    return new InvalidInputException("the design is not valid: " + why);
  }
}
