package dev.holdfast.session.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.session.WellFormed;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** C35: what a model is sent is always a whole conversation. */
class HistoryTest {
  private static Message.Assistant calls(String... ids) {
    List<ToolCall> calls = new ArrayList<>();
    for (String id : ids) {
      calls.add(new ToolCall(id, "look", "{}"));
    }
    return new Message.Assistant("", calls);
  }

  private static Message.ToolResult result(String id, String content) {
    return new Message.ToolResult(id, "look", content, false);
  }

  /** Two turns that use the same id, one with two calls. */
  private static final List<Message> RECORDED =
      List.of(
          new Message.User("do it"),
          calls("a"),
          result("a", "first"),
          new Message.User("System notice: x", "r"),
          calls("a", "b"),
          result("a", "second"),
          result("b", "third"),
          new Message.Assistant("so far so good", List.of()),
          calls("c"),
          result("c", "fourth"));

  @Test
  @DisplayName("C35: a whole conversation is sent as it is")
  void untouched() {
    assertThat(History.wellFormed(RECORDED)).isEqualTo(RECORDED);
  }

  @Test
  @DisplayName("C35: cut anywhere, at either end, it is whole again")
  void cutAnywhere() {
    for (int from = 0; from <= RECORDED.size(); from++) {
      for (int to = from; to <= RECORDED.size(); to++) {
        WellFormed.check(History.wellFormed(RECORDED.subList(from, to)));
      }
    }
  }

  @Test
  @DisplayName("C35: results belong to the answer before them, even where ids are used again")
  void perTurn() {
    List<Message> cut = new ArrayList<>(RECORDED);
    cut.remove(2);

    assertThat(History.wellFormed(cut))
        .contains(new Message.ToolResult("a", "look", History.NO_RESULT, true))
        .contains(result("a", "second"))
        .doesNotContain(result("a", "first"));
  }

  @Test
  @DisplayName("C35: a result without a call is left out, and one behind a notice is found")
  void orphans() {
    assertThat(
            History.wellFormed(
                List.of(
                    new Message.User("do it"),
                    calls("a"),
                    new Message.User("meanwhile"),
                    result("zzz", "orphan"),
                    result("a", "here"),
                    result("a", "twice"))))
        .containsExactly(
            new Message.User("do it"),
            calls("a"),
            result("a", "here"),
            new Message.User("meanwhile"));
  }

  @RepeatedTest(50)
  @DisplayName("C35: any heap of messages becomes a whole conversation, twice the same")
  void garbage(RepetitionInfo repetition) {
    List<Message> heap = new ArrayList<>(RECORDED);
    heap.add(new Message.Assistant(" ", "thought", List.of(), null));
    heap.add(calls("d", "d", "e"));
    Collections.shuffle(heap, new Random(repetition.getCurrentRepetition()));

    List<Message> sent = History.wellFormed(heap);

    WellFormed.check(sent);
    assertThat(History.wellFormed(sent)).isEqualTo(sent);
  }
}
