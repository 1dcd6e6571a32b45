package dev.holdfast.repair;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.holdfast.llm.CallResult;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * The text of a model's answer. A complete answer is stored in the journal as the text alone.
 *
 * @param flaw why it did not reach its end; "" where it did
 */
record ModelText(String text, String flaw) {
  static ModelText of(CallResult.Answer answer) {
    String flaw =
        switch (answer.stop()) {
          case MAX_TOKENS ->
              "The answer was cut off at the output limit (limits.max_output_tokens), which counts"
                  + " thoughts too.";
          case REFUSED -> "The model refused to answer, or a content filter did.";
          case END, TOOL_CALLS, OTHER -> "";
        };
    return new ModelText(answer.message().text(), flaw);
  }

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static ModelText read(JsonNode value) {
    return value.isObject()
        ? new ModelText(value.path("text").asString(), value.path("flaw").asString())
        : new ModelText(value.asString(), "");
  }

  @JsonValue
  Object stored() {
    return flaw.isEmpty() ? text : Map.of("flaw", flaw, "text", text);
  }

  /** Says what is wrong with the patch, after the flaw that caused it. */
  String explained(String why) {
    return flaw.isEmpty() ? why : flaw + " " + why;
  }

  /** Adds the flaw to the result of trying the answer. */
  Trial explained(Trial trial) {
    return switch (trial) {
      case Trial.NoDiff none -> new Trial.NoDiff(explained(none.why()));
      case Trial.Refused refused ->
          new Trial.Refused(explained(refused.why()), refused.errorHash());
      case Trial.NoOp _, Trial.Applied _ -> trial;
    };
  }
}
