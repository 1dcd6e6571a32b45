package dev.holdfast.session.context;

import dev.holdfast.llm.Message;
import java.util.ArrayList;
import java.util.List;

/** Takes a conversation apart where that does no harm. */
public final class Steps {
  private Steps() {}

  /** Each step is an answer with all its results, and what was said before it. */
  static List<List<Message>> of(List<Message> messages) {
    List<List<Message>> steps = new ArrayList<>();
    List<Message> step = new ArrayList<>();
    boolean answered = false;
    for (Message message : messages) {
      if (answered && !(message instanceof Message.ToolResult)) {
        steps.add(step);
        step = new ArrayList<>();
        answered = false;
      }
      answered |= message instanceof Message.Assistant;
      step.add(message);
    }
    if (!step.isEmpty()) {
      steps.add(step);
    }
    return steps;
  }

  /** True if a person or the ticket said it: no notice of ours and no earlier summary. */
  public static boolean isSaid(Message message) {
    return message instanceof Message.User user
        && user.retryMessage() == null
        && !user.content().startsWith(Compactor.SUMMARY);
  }
}
