package dev.holdfast.schema;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a program asks, and the tickets that it wants to add. */
public final class SchemaFuzz {
  private static final int LONGEST_REFUSAL = 2_000;
  private static final Enqueues EXTRA =
      Enqueues.of(JsonMapper.shared().readTree("{\"may_enqueue\": [\"extra\"]}"));
  private static final JsonMapper MAPPER = JsonMapper.shared();

  public static final FuzzTarget QUESTION = FuzzTarget.ofText("question", SchemaFuzz::question);
  public static final FuzzTarget ENQUEUES = FuzzTarget.ofText("enqueues", SchemaFuzz::enqueues);

  private SchemaFuzz() {}

  private static JsonNode read(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JacksonException | NumberFormatException e) {
      return MAPPER.missingNode();
    }
  }

  private static void question(String text) {
    if (!(read(text) instanceof ObjectNode object) || !Question.isMeant(object)) {
      return;
    }
    try {
      require(!Question.of(object).toString().isBlank(), "a question asks something");
    } catch (IllegalArgumentException e) {
      requireShort(e, text);
    }
  }

  private static void enqueues(String text) {
    try {
      String steps = EXTRA.steps(read(text).path("enqueue"));
      if (steps != null) {
        read(steps)
            .forEach(
                each ->
                    require(
                        each.findValuesAsString("design").equals(List.of("extra")),
                        "only what is allowed is enqueued: " + each));
      }
    } catch (IllegalArgumentException e) {
      requireShort(e, text);
    }
  }

  private static void requireShort(RuntimeException refusal, String text) {
    int length = String.valueOf(refusal.getMessage()).length();
    require(length <= LONGEST_REFUSAL, "a refusal is short: " + length + " of " + text.length());
  }
}
