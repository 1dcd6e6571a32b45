package dev.holdfast.testing;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Messages. */
record AnthropicDialect() implements ModelDialect {
  private static final JsonMapper JSON = JsonMapper.shared();
  static final String SIGNATURE = "c2lnbmVk";

  @Override
  public String document(ModelReply reply, String model) {
    ObjectNode root = message(reply, model);
    ArrayNode content = (ArrayNode) root.get("content");
    if (!reply.reasoning().isEmpty()) {
      content.addObject().put("type", "thinking").put("thinking", reply.reasoning());
      ((ObjectNode) content.get(0)).put("signature", SIGNATURE);
    }
    if (!reply.text().isEmpty()) {
      content.addObject().put("type", "text").put("text", reply.text());
    }
    for (ToolCall call : reply.toolCalls()) {
      toolUse(content.addObject(), call).set("input", tree(call.arguments()));
    }
    return root.put("stop_reason", stop(reply)).toString();
  }

  private static JsonNode tree(String arguments) {
    try {
      return JSON.readTree(arguments);
    } catch (JacksonException _) {
      return JSON.createObjectNode();
    }
  }

  @Override
  public List<String> events(ModelReply reply, String model) {
    List<String> events = new ArrayList<>();
    ObjectNode start = JSON.createObjectNode();
    start.set("message", message(reply, model));
    events.add(event("message_start", start));
    int index = 0;
    if (!reply.reasoning().isEmpty()) {
      addThinking(events, index++, reply.reasoning());
    }
    if (!reply.text().isEmpty()) {
      ObjectNode block = JSON.createObjectNode().put("type", "text").put("text", "");
      addBlock(events, index++, block, "text_delta", "text", reply.text(), 2_000);
    }
    for (ToolCall call : reply.toolCalls()) {
      ObjectNode block = toolUse(JSON.createObjectNode(), call);
      block.putObject("input");
      addBlock(events, index++, block, "input_json_delta", "partial_json", call.arguments(), 20);
    }
    ObjectNode end = JSON.createObjectNode();
    end.putObject("delta").put("stop_reason", stop(reply)).putNull("stop_sequence");
    end.putObject("usage").put("output_tokens", reply.usage().output());
    events.add(event("message_delta", end));
    events.add(event("message_stop", JSON.createObjectNode()));
    return events;
  }

  private static void addThinking(List<String> events, int index, String thinking) {
    ObjectNode block = JSON.createObjectNode().put("type", "thinking").put("thinking", "");
    addBlock(
        events, index, block.put("signature", ""), "thinking_delta", "thinking", thinking, 2_000);
    String stop = events.removeLast();
    events.add(delta(index, "signature_delta", "signature", SIGNATURE));
    events.add(stop);
  }

  private static void addBlock(
      List<String> events,
      int index,
      ObjectNode block,
      String deltaType,
      String field,
      String content,
      int size) {
    ObjectNode start = JSON.createObjectNode().put("index", index);
    start.set("content_block", block);
    events.add(event("content_block_start", start));
    for (String piece : ModelDialect.pieces(content, size)) {
      events.add(delta(index, deltaType, field, piece));
    }
    events.add(event("content_block_stop", JSON.createObjectNode().put("index", index)));
  }

  private static String delta(int index, String type, String field, String piece) {
    ObjectNode delta = JSON.createObjectNode().put("index", index);
    delta.putObject("delta").put("type", type).put(field, piece);
    return event("content_block_delta", delta);
  }

  private static ObjectNode message(ModelReply reply, String model) {
    Usage usage = reply.usage();
    ObjectNode root = JSON.createObjectNode();
    root.put("id", "msg_1").put("type", "message").put("role", "assistant").put("model", model);
    root.putArray("content");
    root.putNull("stop_reason").putNull("stop_sequence");
    root.putObject("usage")
        .put("input_tokens", usage.input())
        .put("cache_read_input_tokens", usage.cacheRead())
        .put("cache_creation_input_tokens", usage.cacheWrite())
        .put("output_tokens", usage.output());
    return root;
  }

  private static ObjectNode toolUse(ObjectNode node, ToolCall call) {
    return node.put("type", "tool_use").put("id", call.id()).put("name", call.name());
  }

  private static String event(String type, ObjectNode data) {
    return "event: " + type + "\ndata: " + data.put("type", type) + "\n\n";
  }

  private static String stop(ModelReply reply) {
    if (reply.stop() != null) {
      return reply.stop();
    }
    return reply.toolCalls().isEmpty() ? "end_turn" : "tool_use";
  }

  @Override
  public String error(String type, String message) {
    ObjectNode root = JSON.createObjectNode().put("type", "error");
    root.putObject("error").put("type", type).put("message", message);
    return root.put("request_id", "req_1").toString();
  }

  @Override
  public String errorEvent(String type, String message) {
    return "event: error\ndata: " + error(type, message) + "\n\n";
  }
}
