package dev.holdfast.tool;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import java.util.ArrayList;
import java.util.List;

/**
 * A conversation that a provider accepts (C35): every tool call has one result right behind its
 * turn, and no result is without its call. Ids are matched within their turn, for models use them
 * again. Pure: the stored history stays as it is.
 */
public final class ToolHistory {
  /** The result of a call whose own one is missing. */
  public static final String NO_RESULT =
      "This call has no result: it was cancelled, or its end was lost.";

  private ToolHistory() {}

  public static List<Message> patched(List<Message> messages) {
    List<Message> patched = new ArrayList<>();
    List<ToolCall> open = new ArrayList<>();
    for (Message message : messages) {
      if (message instanceof Message.ToolResult result) {
        if (open.removeIf(call -> call.id().equals(result.callId()))) {
          patched.add(result);
        }
        continue;
      }
      close(open, patched);
      patched.add(message);
      if (message instanceof Message.Assistant answer) {
        open.addAll(answer.toolCalls());
      }
    }
    close(open, patched);
    return patched;
  }

  private static void close(List<ToolCall> open, List<Message> patched) {
    open.forEach(
        call -> patched.add(new Message.ToolResult(call.id(), call.name(), NO_RESULT, true)));
    open.clear();
  }
}
