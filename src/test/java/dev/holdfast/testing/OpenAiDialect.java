package dev.holdfast.testing;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Chat completions. */
record OpenAiDialect() implements ModelDialect {
  private static final JsonMapper JSON = JsonMapper.shared();

  @Override
  public String document(ModelReply reply, String model) {
    ObjectNode root = root("chat.completion", model);
    ObjectNode choice = root.putArray("choices").addObject();
    choice.put("index", 0).put("finish_reason", stop(reply));
    ObjectNode message = choice.putObject("message");
    message.put("role", "assistant").put("content", reply.text());
    if (!reply.reasoning().isEmpty()) {
      message.put("reasoning_content", reply.reasoning());
    }
    if (!reply.toolCalls().isEmpty()) {
      ArrayNode calls = message.putArray("tool_calls");
      reply.toolCalls().forEach(call -> call(calls.addObject(), call, call.arguments()));
    }
    root.set("usage", usage(reply.usage()));
    return root.toString();
  }

  @Override
  public List<String> events(ModelReply reply, String model) {
    List<String> events = new ArrayList<>();
    ObjectNode first = JSON.createObjectNode();
    first.put("role", "assistant").put("content", "");
    events.add(chunk(model, first, null));
    for (String piece : ModelDialect.pieces(reply.reasoning(), 2_000)) {
      events.add(chunk(model, JSON.createObjectNode().put("reasoning_content", piece), null));
    }
    for (String piece : ModelDialect.pieces(reply.text(), 2_000)) {
      events.add(chunk(model, JSON.createObjectNode().put("content", piece), null));
    }
    for (int i = 0; i < reply.toolCalls().size(); i++) {
      addCall(events, model, i, reply.toolCalls().get(i));
    }
    events.add(chunk(model, JSON.createObjectNode(), stop(reply)));
    ObjectNode last = root("chat.completion.chunk", model);
    last.putArray("choices");
    last.set("usage", usage(reply.usage()));
    events.add("data: " + last + "\n\n");
    events.add("data: [DONE]\n\n");
    return events;
  }

  private static void addCall(List<String> events, String model, int index, ToolCall call) {
    ObjectNode opened = JSON.createObjectNode();
    call(opened.putArray("tool_calls").addObject().put("index", index), call, "");
    events.add(chunk(model, opened, null));
    for (String piece : ModelDialect.pieces(call.arguments(), 20)) {
      ObjectNode delta = JSON.createObjectNode();
      ObjectNode next = delta.putArray("tool_calls").addObject().put("index", index);
      next.putObject("function").put("arguments", piece);
      events.add(chunk(model, delta, null));
    }
  }

  private static void call(ObjectNode node, ToolCall call, String arguments) {
    node.put("id", call.id()).put("type", "function");
    node.putObject("function").put("name", call.name()).put("arguments", arguments);
  }

  private static String chunk(
      String model, ObjectNode delta, @org.jspecify.annotations.Nullable String stop) {
    ObjectNode root = root("chat.completion.chunk", model);
    ObjectNode choice = root.putArray("choices").addObject();
    choice.put("index", 0).put("finish_reason", stop).set("delta", delta);
    return "data: " + root + "\n\n";
  }

  private static ObjectNode root(String object, String model) {
    ObjectNode root = JSON.createObjectNode();
    return root.put("id", "chatcmpl-1")
        .put("object", object)
        .put("created", 1_795_000_000)
        .put("model", model);
  }

  private static String stop(ModelReply reply) {
    if (reply.stop() != null) {
      return reply.stop();
    }
    return reply.toolCalls().isEmpty() ? "stop" : "tool_calls";
  }

  private static ObjectNode usage(Usage usage) {
    long prompt = usage.input() + usage.cacheRead();
    ObjectNode node = JSON.createObjectNode();
    node.put("prompt_tokens", prompt).put("completion_tokens", usage.output());
    node.put("total_tokens", prompt + usage.output());
    node.putObject("prompt_tokens_details").put("cached_tokens", usage.cacheRead());
    return node;
  }

  @Override
  public String error(String type, String message) {
    ObjectNode root = JSON.createObjectNode();
    root.putObject("error").put("message", message).put("type", type).put("code", type);
    return root.toString();
  }

  @Override
  public String errorEvent(String type, String message) {
    return "data: " + error(type, message) + "\n\n";
  }
}
