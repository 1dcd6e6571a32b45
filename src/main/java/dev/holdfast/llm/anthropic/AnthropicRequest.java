package dev.holdfast.llm.anthropic;

import com.anthropic.core.JsonValue;
import com.anthropic.models.messages.MessageCreateParams;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.ToolChoice;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.llm.wire.JsonTree;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Our request in the shape of messages. Everything up to the last message is marked for the prompt
 * cache, so that a long session pays for each part once.
 */
final class AnthropicRequest {
  /**
   * The output limit where the request has none. The API wants a number, and every model can write
   * this many tokens.
   */
  static final int DEFAULT_MAX_TOKENS = 8192;

  private static final JsonMapper JSON = JsonMapper.shared();

  private AnthropicRequest() {}

  // The SDK takes its JSON values for any field, but says so with a raw type.
  @SuppressWarnings("unchecked")
  static MessageCreateParams of(ChatRequest request, String provider) {
    Integer most = request.maxOutputTokens();
    ArrayNode messages = AnthropicMessages.of(provider, request.messages());
    cacheLastBlock(messages);
    MessageCreateParams.Builder params =
        MessageCreateParams.builder()
            .model(request.model())
            .maxTokens(most == null ? DEFAULT_MAX_TOKENS : most)
            .messages(JsonValue.from(JsonTree.plain(messages)));
    if (!request.system().isBlank()) {
      ArrayNode system = JSON.createArrayNode();
      cached(system.addObject().put("type", "text").put("text", request.system()));
      params.system(JsonValue.from(JsonTree.plain(system)));
    }
    if (!request.tools().isEmpty()) {
      params.tools(JsonValue.from(JsonTree.plain(tools(request.tools()))));
      ObjectNode choice = JSON.createObjectNode().put("type", choice(request.toolChoice()));
      params.toolChoice(JsonValue.from(JsonTree.plain(choice)));
    }
    return params.build();
  }

  private static String choice(ToolChoice choice) {
    return switch (choice) {
      case AUTO -> "auto";
      case REQUIRED -> "any";
      case NONE -> "none";
    };
  }

  private static ArrayNode tools(List<ToolSpec> specs) {
    ArrayNode tools = JSON.createArrayNode();
    for (ToolSpec spec : specs) {
      ObjectNode tool = tools.addObject();
      tool.put("name", spec.name()).put("description", spec.description());
      tool.set("input_schema", spec.arguments());
    }
    cached((ObjectNode) tools.get(tools.size() - 1));
    return tools;
  }

  private static void cacheLastBlock(ArrayNode messages) {
    ArrayNode content = (ArrayNode) messages.get(messages.size() - 1).get("content");
    ObjectNode last = (ObjectNode) content.get(content.size() - 1);
    // a thinking block cannot be marked
    if (!last.path("type").asString("").contains("thinking")) {
      cached(last);
    }
  }

  private static void cached(ObjectNode block) {
    block.putObject("cache_control").put("type", "ephemeral");
  }
}
