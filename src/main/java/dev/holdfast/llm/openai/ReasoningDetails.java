package dev.holdfast.llm.openai;

import dev.holdfast.llm.wire.AnswerBuilder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** OpenRouter's reasoning in parts: a text comes in pieces, an encrypted part comes whole. */
final class ReasoningDetails {
  private final AnswerBuilder answer;
  private final ArrayNode parts = JsonMapper.shared().createArrayNode();
  private final StringBuilder text = new StringBuilder();
  private ObjectNode open = JsonMapper.shared().createObjectNode();

  ReasoningDetails(AnswerBuilder answer) {
    this.answer = answer;
  }

  void accept(JsonNode pieces) {
    for (JsonNode piece : pieces) {
      if (piece instanceof ObjectNode part) {
        add(part);
      }
    }
  }

  private void add(ObjectNode piece) {
    String field = field(piece);
    if (field.isEmpty() || !isSame(piece, "type") || !isSame(piece, "index")) {
      end();
      answer.beside(piece.toString());
      open = piece;
      parts.add(piece);
      text.append(piece.path(field).asString(""));
      return;
    }
    String more = piece.path(field).asString("");
    answer.beside(more + piece.path("signature").asString(""));
    text.append(more);
    piece.properties().stream()
        .filter(each -> !each.getValue().isNull())
        .forEach(each -> open.set(each.getKey(), each.getValue()));
  }

  private boolean isSame(ObjectNode piece, String field) {
    return piece.path(field).equals(open.path(field));
  }

  /** Returns the field with the text of a part; "" where the part is not a text. */
  private static String field(JsonNode part) {
    return switch (part.path("type").asString("")) {
      case "reasoning.text" -> "text";
      case "reasoning.summary" -> "summary";
      default -> "";
    };
  }

  private void end() {
    if (!text.isEmpty()) {
      open.put(field(open), text.toString());
      text.setLength(0);
    }
  }

  /** All parts, each once. */
  ArrayNode whole() {
    end();
    return parts;
  }
}
