package dev.holdfast.tool;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolSpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Arguments of tool calls as models write them. */
public final class ToolFuzz {
  private static final int LONGEST_REFUSAL = 8_000;
  private static final ToolSpec SPEC =
      new ToolSpec(
          "read_file",
          "Reads a file.",
          new JsonMapper()
              .readTree(
                  """
                  {"type": "object", "required": ["path"], "additionalProperties": false,
                   "properties": {"path": {"type": "string", "minLength": 1},
                     "lines": {"type": "integer", "minimum": 1, "maximum": 2000},
                     "kinds": {"type": "array", "items": {"enum": ["a", "b"]}}}}
                  """));

  public static final FuzzTarget ARGUMENTS = FuzzTarget.ofText("arguments", ToolFuzz::arguments);

  private ToolFuzz() {}

  private static void arguments(String text) {
    try {
      JsonNode read = new Arguments(SPEC).of(new ToolCall("c", "read_file", text));
      require(read.path("path").isString(), "what the schema requires is there");
      require(read.path("path").stringValue().indexOf('\0') < 0, "no NUL reaches a tool");
      JsonNode lines = read.path("lines");
      require(lines.isMissingNode() || lines.isIntegralNumber() || lines.isNumber(), "a number");
    } catch (ModelRetryException e) {
      String told = String.valueOf(e.getMessage());
      require(told.length() <= LONGEST_REFUSAL, "a refusal is short: " + told.length());
      require(told.indexOf('\n') < 0, "a refusal is one line");
    }
  }
}
