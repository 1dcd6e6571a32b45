package dev.holdfast.session.context;

import dev.holdfast.llm.Message;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The message that stands in the place of steps that went without a summary. It is short. */
final class LeftOut {
  private static final int TOOLS_NAMED = 5;
  private static final String OTHERS = "other tools";

  /**
   * The names that are shown. A model may make up any text as a name, and in this message it could
   * pass for a person's words.
   */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  private LeftOut() {}

  static Message note(List<Message.Assistant> answers) {
    int steps = answers.size();
    List<String> calls = calls(answers);
    String called = calls.isEmpty() ? "" : "; they called " + String.join(", ", calls);
    return new Message.User(
        Compactor.SUMMARY
            + (steps == 1 ? "1 earlier step is" : steps + " earlier steps are")
            + " left out"
            + called
            + ".");
  }

  /** Returns the names of the called tools with their counts, the most frequent first. */
  private static List<String> calls(List<Message.Assistant> answers) {
    Map<String, Integer> counts = new HashMap<>();
    for (Message.Assistant answer : answers) {
      answer.toolCalls().forEach(call -> counts.merge(shown(call.name()), 1, Integer::sum));
    }
    int others = counts.getOrDefault(OTHERS, 0);
    counts.remove(OTHERS);
    List<Map.Entry<String, Integer>> named = new ArrayList<>(counts.entrySet());
    named.sort(
        Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
            .thenComparing(Map.Entry.comparingByKey()));
    while (named.size() > TOOLS_NAMED) {
      others += named.removeLast().getValue();
    }
    List<String> calls = new ArrayList<>();
    named.forEach(each -> calls.add(each.getKey() + times(each.getValue())));
    if (others > 0) {
      calls.add(OTHERS + times(others));
    }
    return calls;
  }

  private static String shown(String name) {
    return NAME.matcher(name).matches() ? name : OTHERS;
  }

  private static String times(int count) {
    return count == 1 ? " once" : " " + count + " times";
  }
}
