package dev.holdfast.session.context;

import dev.holdfast.llm.Message;
import java.util.List;

/**
 * Older turns as a text that a model can sum up. Every further line of what tools and models said
 * is indented: none of it can begin a line as a person's words do.
 */
final class Transcript {
  private static final int SHOWN = 600;

  private Transcript() {}

  /** The newest part of it that fits; long results and parameters are cut. */
  static String of(List<List<Message>> steps, long tokens) {
    StringBuilder text = new StringBuilder();
    steps.stream().flatMap(List::stream).forEach(message -> write(text, message));
    int longest = (int) Math.min(Integer.MAX_VALUE / 2, tokens * 3);
    return text.length() <= longest
        ? text.toString()
        : "[the beginning is left out]\n  " + text.substring(text.length() - longest);
  }

  private static void write(StringBuilder text, Message message) {
    switch (message) {
      case Message.User user -> text.append("USER: ").append(indented(user.content()));
      case Message.ToolResult result ->
          text.append(result.failed() ? "FAILED " : "RESULT ")
              .append(result.toolName())
              .append(": ")
              .append(shown(result.content()));
      case Message.Assistant answer -> {
        text.append("ASSISTANT: ").append(indented(answer.text()));
        answer
            .toolCalls()
            .forEach(
                call ->
                    text.append("\nCALL ")
                        .append(call.name())
                        .append(": ")
                        .append(shown(call.arguments())));
      }
    }
    text.append('\n');
  }

  private static String shown(String content) {
    return indented(content.length() <= SHOWN ? content : content.substring(0, SHOWN) + "…");
  }

  private static String indented(String text) {
    return text.replaceAll("\\R", "\n  ");
  }
}
