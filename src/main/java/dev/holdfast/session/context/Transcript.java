package dev.holdfast.session.context;

import dev.holdfast.failure.ShortText;
import dev.holdfast.llm.Message;
import java.util.List;
import java.util.stream.Stream;

/**
 * Older turns as a text that a model can sum up. Every further line of what tools and models said
 * is indented: none of it can begin a line as a person's words do.
 */
final class Transcript {
  private static final int SHOWN = 600;

  private Transcript() {}

  /**
   * Returns the newest part of the text that fits; long results and parameters are cut. Earlier
   * summaries stay, because nothing else says what they sum up.
   */
  static String of(List<List<Message>> steps, long tokens) {
    int longest = (int) Math.min(Integer.MAX_VALUE / 2, tokens * 3);
    String text = of(steps.stream().flatMap(List::stream));
    if (text.length() <= longest) {
      return text;
    }
    String summaries = of(steps.stream().flatMap(List::stream).filter(Transcript::isSummary));
    String earlier = summaries.substring(0, Math.min(summaries.length(), longest / 2));
    return earlier
        + (earlier.isEmpty() || earlier.endsWith("\n") ? "" : "…\n")
        + "[the beginning is left out]\n  "
        + text.substring(text.length() - longest + earlier.length());
  }

  private static boolean isSummary(Message message) {
    return message instanceof Message.User user && user.content().startsWith(Compactor.SUMMARY);
  }

  private static String of(Stream<Message> messages) {
    StringBuilder text = new StringBuilder();
    messages.forEach(message -> write(text, message));
    return text.toString();
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
    return indented(ShortText.of(content, SHOWN));
  }

  private static String indented(String text) {
    return text.replaceAll("\\R", "\n  ");
  }
}
