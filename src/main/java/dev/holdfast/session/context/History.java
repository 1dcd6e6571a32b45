package dev.holdfast.session.context;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The conversation that models are shown. What is stored is never changed by what a request needs:
 * {@link #wellFormed} repairs a copy (C35). Not thread-safe.
 */
public final class History {
  public static final String NO_RESULT =
      "There is no result: the call was interrupted. It may or may not have taken effect.";
  private static final Message.User BEGINNING =
      new Message.User("(The beginning of the conversation is missing.)");

  private final List<Message> messages = new ArrayList<>();

  public void add(Message message) {
    messages.add(message);
  }

  public void replaceBy(List<Message> others) {
    messages.clear();
    messages.addAll(others);
  }

  public List<Message> stored() {
    return List.copyOf(messages);
  }

  public List<Message> wellFormed() {
    return wellFormed(messages);
  }

  /**
   * A conversation that every provider takes: it begins with a user, every answer says something,
   * and every call has exactly one result, right after its answer and in the order of the calls.
   * Results are looked for only up to the next answer, because ids may be used again.
   */
  public static List<Message> wellFormed(List<Message> stored) {
    List<Message> out = new ArrayList<>();
    for (int i = 0; i < stored.size(); i++) {
      switch (stored.get(i)) {
        case Message.User user -> out.add(user);
        case Message.ToolResult elsewhere -> {
          // The result was placed after its answer already, or it has no answer.
        }
        case Message.Assistant answer -> addAnswer(out, answer, resultsBehind(stored, i));
      }
    }
    if (!out.isEmpty() && !(out.getFirst() instanceof Message.User)) {
      out.addFirst(BEGINNING);
    }
    return List.copyOf(out);
  }

  private static List<Message.ToolResult> resultsBehind(List<Message> stored, int answer) {
    List<Message.ToolResult> results = new ArrayList<>();
    for (Message message : stored.subList(answer + 1, stored.size())) {
      switch (message) {
        case Message.Assistant next -> {
          return results;
        }
        case Message.ToolResult result -> results.add(result);
        case Message.User between -> {
          // A result may come after a notice.
        }
      }
    }
    return results;
  }

  private static void addAnswer(
      List<Message> out, Message.Assistant answer, List<Message.ToolResult> results) {
    List<ToolCall> calls = withoutRepeatedIds(answer.toolCalls());
    if (calls.isEmpty() && answer.text().isBlank()) {
      return;
    }
    out.add(new Message.Assistant(answer.text(), answer.reasoning(), calls, answer.opaque()));
    for (ToolCall call : calls) {
      out.add(resultOf(call, results));
    }
  }

  private static List<ToolCall> withoutRepeatedIds(List<ToolCall> calls) {
    Set<String> seen = new HashSet<>();
    return calls.stream().filter(call -> seen.add(call.id())).toList();
  }

  private static Message.ToolResult resultOf(ToolCall call, List<Message.ToolResult> results) {
    for (Message.ToolResult result : results) {
      if (result.callId().equals(call.id())) {
        return result;
      }
    }
    return new Message.ToolResult(call.id(), call.name(), NO_RESULT, true);
  }
}
