package dev.holdfast.tool;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolSpec;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A tool whose behaviour is a test's. */
record TestTool(String name, boolean isIdempotent, boolean runsAlone, Body body, AtomicInteger runs)
    implements Tool {
  static final JsonMapper MAPPER = new JsonMapper();

  private static final String SCHEMA =
      """
      {"type": "object", "additionalProperties": false,
       "properties": {"text": {"type": "string"}, "count": {"type": "integer", "minimum": 1}}}
      """;

  /** What it does; the run is counted from 1. */
  interface Body {
    String run(int run, JsonNode arguments) throws Exception;
  }

  static TestTool of(String name, Body body) {
    return new TestTool(name, true, false, body, new AtomicInteger());
  }

  static TestTool failing(String name, int failures) {
    return of(
        name,
        (run, arguments) -> {
          if (run <= failures) {
            throw new ToolExecutionException(name + " is not in the mood");
          }
          return name + " done";
        });
  }

  TestTool notIdempotent() {
    return new TestTool(name, false, runsAlone, body, runs);
  }

  TestTool alone() {
    return new TestTool(name, isIdempotent, true, body, runs);
  }

  static ToolCall call(String name) {
    return new ToolCall("id-" + name, name, "{}");
  }

  @Override
  public ToolSpec spec() {
    return new ToolSpec(name, "a tool of a test", MAPPER.readTree(SCHEMA));
  }

  @Override
  public String call(JsonNode arguments, ToolContext context) throws Exception {
    return body.run(runs.incrementAndGet(), arguments);
  }
}
