package dev.holdfast.llm.anthropic;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.wire.JsonTree;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The thinking of an answer with its signatures, as {@link Message.Assistant#opaque}: {@code {"a2":
 * [...]}} with the provider's name, the blocks in their order and {@code {"type": "text"}} where
 * the text stood. Anthropic wants them back unchanged and in their place while tools are in use,
 * and refuses signatures that others made who speak its wire.
 */
final class SignedThinking {
  private final String provider;
  private final ArrayNode blocks = JsonMapper.shared().createArrayNode();
  private boolean thought;

  /**
   * @param provider its name in the configuration
   */
  SignedThinking(String provider) {
    this.provider = provider;
  }

  void thinking(String text, String signature) {
    ObjectNode block = blocks.addObject().put("type", "thinking");
    block.put("thinking", text).put("signature", signature);
    thought = true;
  }

  void redacted(String data) {
    blocks.addObject().put("type", "redacted_thinking").put("data", data);
    thought = true;
  }

  void text() {
    if (blocks.values().stream().noneMatch(SignedThinking::isText)) {
      blocks.addObject().put("type", "text");
    }
  }

  /** Returns the stored form; null where the model did not think. */
  @Nullable String opaque() {
    if (!thought) {
      return null;
    }
    ObjectNode root = JsonMapper.shared().createObjectNode();
    root.set(provider, blocks);
    return root.toString();
  }

  /**
   * Writes thinking and text of an answer that this provider gave.
   *
   * @return false where it is another's and nothing was written
   */
  static boolean write(String provider, Message.Assistant assistant, ArrayNode content) {
    JsonNode blocks =
        assistant.opaque() == null
            ? JsonMapper.shared().missingNode()
            : JsonTree.parse(assistant.opaque()).path(provider);
    if (!blocks.isArray()) {
      return false;
    }
    for (JsonNode block : blocks) {
      if (!isText(block)) {
        content.add(block);
      } else if (!assistant.text().isBlank()) {
        content.addObject().put("type", "text").put("text", assistant.text());
      }
    }
    return true;
  }

  private static boolean isText(JsonNode block) {
    return block.path("type").asString("").equals("text");
  }
}
