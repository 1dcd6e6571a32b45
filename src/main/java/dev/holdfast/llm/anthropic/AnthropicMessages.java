package dev.holdfast.llm.anthropic;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.wire.JsonTree;
import dev.holdfast.llm.wire.ToolPairs;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A conversation as Anthropic accepts it: it starts with the user, roles alternate, the results of
 * one answer's calls stand together at the start of the next message, and no text is empty.
 */
final class AnthropicMessages {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String NOTHING = "(nothing)";

  private final String provider;
  private final ArrayNode messages = JSON.createArrayNode();
  private String role = "";

  private AnthropicMessages(String provider) {
    this.provider = provider;
  }

  /**
   * Returns at least one message.
   *
   * @param provider that it goes to, by its name in the configuration
   */
  static ArrayNode of(String provider, List<Message> conversation) {
    AnthropicMessages shape = new AnthropicMessages(provider);
    for (Message message : ToolPairs.withPlainIds(ToolPairs.complete(conversation))) {
      switch (message) {
        case Message.User user -> text(shape.content("user"), user.content());
        case Message.Assistant assistant -> shape.assistant(assistant);
        case Message.ToolResult result -> result(shape.content("user"), result);
      }
    }
    if (shape.messages.isEmpty()) {
      text(shape.content("user"), "");
    }
    return shape.messages;
  }

  /** Returns the blocks of the current message; begins a new message where the role changes. */
  private ArrayNode content(String wanted) {
    if (messages.isEmpty() && wanted.equals("assistant")) {
      text(content("user"), "");
    }
    if (!role.equals(wanted)) {
      role = wanted;
      return messages.addObject().put("role", wanted).putArray("content");
    }
    return (ArrayNode) messages.get(messages.size() - 1).get("content");
  }

  private static void text(ArrayNode content, String text) {
    content.addObject().put("type", "text").put("text", text.isBlank() ? NOTHING : text);
  }

  private static void result(ArrayNode content, Message.ToolResult result) {
    ObjectNode block = content.addObject();
    block.put("type", "tool_result").put("tool_use_id", result.callId());
    block.put("content", result.content());
    if (result.failed()) {
      block.put("is_error", true);
    }
  }

  private void assistant(Message.Assistant assistant) {
    ArrayNode content = content("assistant");
    boolean written = SignedThinking.write(provider, assistant, content);
    if (!written && !assistant.text().isBlank()) {
      text(content, assistant.text());
    }
    for (ToolCall call : assistant.toolCalls()) {
      ObjectNode block = content.addObject().put("type", "tool_use");
      block.put("id", call.id()).put("name", call.name()).set("input", input(call.arguments()));
    }
    if (content.isEmpty()) {
      text(content, "");
    }
  }

  /**
   * Returns the input as an object, because the API takes nothing else, whatever the model wrote.
   */
  private static JsonNode input(String arguments) {
    JsonNode node = JsonTree.parse(arguments);
    if (node.isObject()) {
      return node;
    }
    ObjectNode wrapped = JSON.createObjectNode();
    return arguments.isBlank() ? wrapped : wrapped.put("malformed_arguments", arguments);
  }
}
