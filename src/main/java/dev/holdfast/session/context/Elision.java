package dev.holdfast.session.context;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import java.util.ArrayList;
import java.util.List;

/** Leaves contents out and says so, but never an answer's call or a call's result as such. */
final class Elision {
  private static final int KEPT = 200;
  private static final int CHARS_PER_TOKEN = 3;
  private static final long LEAST_TOKENS = 40;

  private Elision() {}

  /**
   * Puts the parts together and takes more away, the oldest first, until they fit.
   *
   * @param shortened older steps, summed up or elided
   * @param recent whole steps; at least the last one should stay whole
   */
  static List<Message> fitted(
      List<List<Message>> shortened, List<List<Message>> recent, long budget) {
    List<List<Message>> all = new ArrayList<>(shortened);
    all.addAll(recent);
    for (int i = shortened.size(); i < all.size() - 1 && Tokens.of(flat(all)) > budget; i++) {
      all.set(i, step(all.get(i)));
    }
    List<List<Message>> left = all;
    for (int gone = 1; gone < all.size() && Tokens.of(flat(left)) > budget; gone++) {
      left = withoutOldest(all, gone);
    }
    if (!left.isEmpty() && Tokens.of(flat(left)) > budget) {
      long rest = budget - Tokens.of(flat(left.subList(0, left.size() - 1)));
      left.add(shrunk(left.removeLast(), rest));
    }
    return List.copyOf(flat(left));
  }

  /**
   * Removes the oldest {@code gone} steps except what must stay, and puts a message in their place.
   */
  private static List<List<Message>> withoutOldest(List<List<Message>> all, int gone) {
    List<Message> oldest = flat(all.subList(0, gone));
    List<Message> stays = new ArrayList<>(oldest.stream().filter(Elision::mustStay).toList());
    List<Message.Assistant> answers =
        oldest.stream()
            .filter(Message.Assistant.class::isInstance)
            .map(Message.Assistant.class::cast)
            .toList();
    if (!answers.isEmpty()) {
      stays.add(LeftOut.note(answers));
    }
    List<List<Message>> left = new ArrayList<>(all.subList(gone, all.size()));
    left.addFirst(stays);
    return left;
  }

  private static List<Message> flat(List<List<Message>> steps) {
    return steps.stream().flatMap(List::stream).toList();
  }

  private static boolean mustStay(Message message) {
    return Steps.isSaid(message)
        || (message instanceof Message.User user && user.content().startsWith(Compactor.SUMMARY));
  }

  /** Returns an older step without its long contents, notices and reasoning. */
  static List<Message> step(List<Message> step) {
    return step.stream()
        .filter(message -> !(message instanceof Message.User user && user.retryMessage() != null))
        .map(Elision::elided)
        .toList();
  }

  private static Message elided(Message message) {
    return switch (message) {
      case Message.User user -> user;
      case Message.ToolResult result -> withContent(result, elided(result.content()));
      case Message.Assistant answer ->
          new Message.Assistant(
              elided(answer.text()),
              "",
              answer.toolCalls().stream().map(Elision::elided).toList(),
              null);
    };
  }

  private static ToolCall elided(ToolCall call) {
    return call.arguments().length() <= KEPT
        ? call
        : new ToolCall(
            call.id(),
            call.name(),
            "{\"elided\":\"" + call.arguments().length() + " characters\"}");
  }

  private static String elided(String content) {
    return content.length() <= KEPT
        ? content
        : content.substring(0, KEPT) + "… [" + (content.length() - KEPT) + " characters elided]";
  }

  private static Message.ToolResult withContent(Message.ToolResult result, String content) {
    return new Message.ToolResult(result.callId(), result.toolName(), content, result.failed());
  }

  /** Cuts every result of the last step to its share, for a step that alone is too long. */
  private static List<Message> shrunk(List<Message> step, long tokens) {
    long results = step.stream().filter(Message.ToolResult.class::isInstance).count();
    long others =
        Tokens.of(step.stream().filter(each -> !(each instanceof Message.ToolResult)).toList());
    long share = results == 0 ? 0 : Math.max(LEAST_TOKENS, (tokens - others) / results - 10);
    return step.stream()
        .map(
            message ->
                message instanceof Message.ToolResult result
                    ? withContent(result, cut(result.content(), share))
                    : message)
        .toList();
  }

  /** The beginning of a text, with a note on what is missing. */
  static String cut(String text, long tokens) {
    int longest = Math.clamp(tokens * CHARS_PER_TOKEN, KEPT / 2, Integer.MAX_VALUE / 2);
    return text.length() <= longest
        ? text
        : text.substring(0, longest) + "… [" + (text.length() - longest) + " characters elided]";
  }
}
