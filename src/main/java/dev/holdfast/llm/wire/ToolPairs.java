package dev.holdfast.llm.wire;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Puts each tool result right after the message that asked for it, in the order of the calls. Both
 * vendors refuse a conversation with a call without its result or a result without its call, so a
 * missing one is filled in and a stray one left out. Ids count within one answer only, since models
 * use them again.
 */
public final class ToolPairs {
  static final String LOST = "The result of this call was lost.";

  private ToolPairs() {}

  /**
   * Returns a conversation with complete pairs. Its calls have names that every vendor accepts,
   * even where there is no such tool.
   */
  public static List<Message> complete(List<Message> messages) {
    List<Message> complete = new ArrayList<>();
    int at = 0;
    while (at < messages.size()) {
      Message message = messages.get(at++);
      if (message instanceof Message.Assistant assistant) {
        int end = endOfTurn(messages, at);
        addTurn(complete, assistant, messages.subList(at, end));
        at = end;
      } else if (message instanceof Message.User) {
        complete.add(message);
      }
    }
    return complete;
  }

  /**
   * Returns the conversation with ids that both vendors accept. It is not for every server: some
   * want their own ids back unchanged.
   */
  public static List<Message> withPlainIds(List<Message> messages) {
    return withIds(messages, PlainName::ofId);
  }

  /**
   * Returns the conversation with ids of nine letters and digits, the only ones that Mistral
   * accepts.
   */
  public static List<Message> withShortIds(List<Message> messages) {
    return withIds(messages, PlainName::ofShortId);
  }

  private static List<Message> withIds(List<Message> messages, UnaryOperator<String> change) {
    return messages.stream().map(message -> withIds(message, change)).toList();
  }

  private static Message withIds(Message message, UnaryOperator<String> change) {
    return switch (message) {
      case Message.User user -> user;
      case Message.Assistant assistant ->
          withCalls(
              assistant,
              call -> new ToolCall(change.apply(call.id()), call.name(), call.arguments()));
      case Message.ToolResult result ->
          new Message.ToolResult(
              change.apply(result.callId()), result.toolName(), result.content(), result.failed());
    };
  }

  private static Message.Assistant withPlainNames(Message.Assistant assistant) {
    return withCalls(
        assistant,
        call -> new ToolCall(call.id(), PlainName.ofTool(call.name()), call.arguments()));
  }

  private static Message.Assistant withCalls(
      Message.Assistant assistant, UnaryOperator<ToolCall> change) {
    return new Message.Assistant(
        assistant.text(),
        assistant.reasoning(),
        assistant.toolCalls().stream().map(change).toList(),
        assistant.opaque());
  }

  private static int endOfTurn(List<Message> messages, int from) {
    int end = from;
    while (end < messages.size() && !(messages.get(end) instanceof Message.Assistant)) {
      end++;
    }
    return end;
  }

  private static void addTurn(
      List<Message> complete, Message.Assistant assistant, List<Message> rest) {
    complete.add(withPlainNames(assistant));
    Map<String, Message.ToolResult> results = new LinkedHashMap<>();
    for (Message message : rest) {
      if (message instanceof Message.ToolResult result) {
        results.putIfAbsent(result.callId(), result);
      }
    }
    for (ToolCall call : assistant.toolCalls()) {
      Message.ToolResult result = results.get(call.id());
      complete.add(
          result == null ? new Message.ToolResult(call.id(), call.name(), LOST, true) : result);
    }
    rest.stream().filter(Message.User.class::isInstance).forEach(complete::add);
  }
}
