package dev.holdfast.workflow;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import dev.holdfast.ticket.InvalidInputException;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Templates and expressions of workflows, and their steps. */
public final class WorkflowFuzz {
  private static final int LONGEST_VALUE = 17 << 20;
  private static final int LONGEST_REFUSAL = 2_000;
  private static final JsonMapper MAPPER = JsonMapper.shared();
  private static final JsonNode PAYLOAD =
      MAPPER.readTree(
          "{\"a\": {\"b\": [1, 2.5, {\"c\": \"x\"}]}, \"s\": \"%s\", \"n\": [%s]}"
              .formatted("word ".repeat(2_000), "1, ".repeat(2_000) + "1"));

  public static final FuzzTarget TEMPLATE = FuzzTarget.ofText("template", WorkflowFuzz::template);
  public static final FuzzTarget STEPS = FuzzTarget.ofText("workflow", WorkflowFuzz::steps);

  private WorkflowFuzz() {}

  private static void template(String text) {
    JsonNode value;
    try {
      value =
          Template.of(Template.NODES.stringNode(text))
              .value(Map.of("payload", PAYLOAD, "index", Template.NODES.numberNode(3)));
    } catch (ExpressionException e) {
      requireShort(e, text);
      return;
    }
    int size = value.toString().length();
    require(size <= LONGEST_VALUE + 2 * text.length(), "a value is bounded: " + size);
  }

  private static void steps(String text) {
    JsonNode json;
    try {
      json = MAPPER.readTree(text);
    } catch (JacksonException | NumberFormatException e) {
      return;
    }
    WorkflowDesign design;
    try {
      design = WorkflowDesign.of(json);
    } catch (InvalidInputException e) {
      requireShort(e, text);
      return;
    }
    design
        .steps()
        .forEach(
            step ->
                require(
                    !design
                        .before()
                        .getOrDefault(step.name(), java.util.Set.of())
                        .contains(step.name()),
                    "no step waits for itself"));
  }

  /** A refusal may quote what it refuses. */
  private static void requireShort(RuntimeException refusal, String text) {
    int length = String.valueOf(refusal.getMessage()).length();
    require(length <= LONGEST_REFUSAL + 2 * text.length(), "a refusal is short: " + length);
  }
}
