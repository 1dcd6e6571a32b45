package dev.holdfast.llm.openai;

import com.openai.core.JsonValue;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionToolChoiceOption;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolChoice;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.llm.wire.JsonTree;
import dev.holdfast.llm.wire.ToolPairs;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Our request in the shape of chat completions. */
final class OpenAiRequest {
  private static final JsonMapper JSON = JsonMapper.shared();

  /**
   * The names of Mistral's models. They refuse a user's message right after a tool's result, and
   * ids of other vendors.
   */
  private static final Pattern MISTRAL =
      Pattern.compile("(?i)(?:mi|mini|dev|code|magi)stral|(?:mi|pi|vo)xtral");

  private static final String BETWEEN = "I have the results.";

  private OpenAiRequest() {}

  /**
   * @param provider its name in the configuration
   * @param server where this goes to
   */
  // The SDK takes its JSON values for any field, but says so with a raw type.
  @SuppressWarnings("unchecked")
  static ChatCompletionCreateParams of(ChatRequest request, String provider, Server server) {
    ChatCompletionCreateParams.Builder params =
        ChatCompletionCreateParams.builder()
            .model(request.model())
            .messages(JsonValue.from(JsonTree.plain(messages(request, provider, server))))
            .streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build());
    Integer most = request.maxOutputTokens();
    if (most != null && server == Server.OPENAI) {
      params.maxCompletionTokens(most.longValue());
    } else if (most != null) {
      params.putAdditionalBodyProperty("max_tokens", JsonValue.from(most));
    }
    if (!request.tools().isEmpty()) {
      params.tools(JsonValue.from(JsonTree.plain(tools(request.tools()))));
      params.toolChoice(choice(request.toolChoice()));
    }
    return params.build();
  }

  private static ChatCompletionToolChoiceOption.Auto choice(ToolChoice choice) {
    return switch (choice) {
      case AUTO -> ChatCompletionToolChoiceOption.Auto.AUTO;
      case REQUIRED -> ChatCompletionToolChoiceOption.Auto.REQUIRED;
      case NONE -> ChatCompletionToolChoiceOption.Auto.NONE;
    };
  }

  private static ArrayNode tools(List<ToolSpec> specs) {
    ArrayNode tools = JSON.createArrayNode();
    for (ToolSpec spec : specs) {
      ObjectNode function = tools.addObject().put("type", "function").putObject("function");
      function.put("name", spec.name()).put("description", spec.description());
      function.set("parameters", spec.arguments());
    }
    return tools;
  }

  private static ArrayNode messages(ChatRequest request, String provider, Server server) {
    ArrayNode messages = JSON.createArrayNode();
    if (!request.system().isEmpty()) {
      messages.addObject().put("role", "system").put("content", request.system());
    }
    List<Message> complete = ToolPairs.complete(request.messages());
    KeptFields kept = new KeptFields(provider, server, complete);
    boolean vendor = server == Server.OPENAI;
    boolean mistral = MISTRAL.matcher(request.model()).find();
    boolean behindResult = false;
    for (Message message : withIds(complete, vendor, mistral)) {
      if (mistral && behindResult && message instanceof Message.User) {
        messages.addObject().put("role", "assistant").put("content", BETWEEN);
      }
      behindResult = message instanceof Message.ToolResult;
      ObjectNode node = messages.addObject();
      switch (message) {
        case Message.User user -> node.put("role", "user").put("content", user.content());
        case Message.Assistant assistant -> {
          assistant(node, assistant);
          if (!vendor) {
            kept.write(assistant, node);
          }
        }
        case Message.ToolResult result ->
            node.put("role", "tool")
                .put("tool_call_id", result.callId())
                .put("content", result.content());
      }
    }
    return messages;
  }

  private static List<Message> withIds(List<Message> complete, boolean vendor, boolean mistral) {
    if (mistral) {
      return ToolPairs.withShortIds(complete);
    }
    return vendor ? ToolPairs.withPlainIds(complete) : complete;
  }

  private static void assistant(ObjectNode node, Message.Assistant assistant) {
    node.put("role", "assistant");
    // OpenAI itself leaves out an empty content beside calls, and some servers refuse "".
    if (!assistant.text().isEmpty() || assistant.toolCalls().isEmpty()) {
      node.put("content", assistant.text());
    }
    if (assistant.toolCalls().isEmpty()) {
      return;
    }
    ArrayNode calls = node.putArray("tool_calls");
    for (ToolCall call : assistant.toolCalls()) {
      calls
          .addObject()
          .put("id", call.id())
          .put("type", "function")
          .putObject("function")
          .put("name", call.name())
          .put("arguments", call.arguments());
    }
  }
}
