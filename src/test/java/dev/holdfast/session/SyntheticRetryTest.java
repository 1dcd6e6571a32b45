package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.ReportRules;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** B-3 and B-7: answers of no use, and what the model is told about them. */
class SyntheticRetryTest {
  @Test
  @DisplayName("B20, B74: content without calls is warned of, not kept, and answered by a notice")
  void contentOnly() {
    Bench bench = Bench.with(Replies.text("The answer is 42"), Replies.report());

    bench.run();

    assertThat(bench.log())
        .contains("WRN agent:turn Synthetic retry: assistant returned content without tool calls");
    assertThat(bench.notices(1))
        .singleElement()
        .asString()
        .startsWith("System notice: plain text responses are ignored");
    assertThat(bench.provider().requests.get(1).messages().toString()).doesNotContain("42");
    assertThat(bench.journal.entries().toString()).doesNotContain("is 42");
  }

  @Test
  @DisplayName("B21, B74: an empty answer has its own notice")
  void empty() {
    Bench bench = Bench.with(Replies.empty(), Replies.report());

    bench.run();

    assertThat(bench.notices(1)).singleElement().asString().contains("was empty");
    assertThat(bench.log()).noneMatch(line -> line.contains("content without tool calls"));
    assertThat(bench.events(SessionEvent.AttemptFinished.class).getFirst().status())
        .isEqualTo("empty_response");
  }

  @Test
  @DisplayName("B22: an answer of reasoning alone is not called empty")
  void reasoningOnly() {
    CallResult thought =
        Replies.answer(new Message.Assistant("", "hmm", List.of(), null), StopReason.END);
    Bench bench = Bench.with(thought, Replies.report());

    bench.run();

    assertThat(bench.notices(1)).singleElement().asString().contains("thought but not acted");
    assertThat(bench.events(SessionEvent.AttemptFinished.class).getFirst().status())
        .isEqualTo("reasoning_only");
  }

  @Test
  @DisplayName("B20: an answer cut at the output limit is told to be shorter")
  void cut() {
    CallResult cut = Replies.answer(new Message.Assistant("bla", List.of()), StopReason.MAX_TOKENS);
    Bench bench = Bench.with(cut, Replies.report());

    bench.run();

    assertThat(bench.notices(1)).singleElement().asString().contains("cut off");
  }

  @Test
  @DisplayName("B23: a call with malformed parameters is dropped and never shown again")
  void malformed() {
    for (String arguments : List.of("{\"a\":", "[1]", "null", "\"x\"", "{} trailing", "{'a':1}")) {
      Bench bench =
          Bench.with(Replies.calls(Replies.call("a", "send", arguments)), Replies.report());

      bench.run();

      assertThat(bench.log())
          .contains("WRN agent:turn Invalid tool call dropped due to malformed payload");
      assertThat(bench.notices(1)).singleElement().asString().contains("not a JSON object: send");
      assertThat(bench.sent(1)).noneMatch(Message.Assistant.class::isInstance);
      assertThat(bench.tools.ran).isEmpty();
    }
  }

  @Test
  @DisplayName("B23: a call whose arguments the output limit cut off is dropped, whole ones run")
  void cutCall() {
    for (StopReason stop : List.of(StopReason.MAX_TOKENS, StopReason.REFUSED)) {
      for (String arguments : List.of("", " ", "{}", "{ }", "{\"a\":")) {
        ToolCall whole = Replies.call("a", "look", "{}");
        ToolCall cut = Replies.call("b", "send", arguments);
        Message.Assistant message = new Message.Assistant("", List.of(whole, cut));
        Bench bench = Bench.with(Replies.answer(message, stop), Replies.report());

        bench.run();

        assertThat(bench.tools.ran).as(stop + arguments).containsExactly(whole);
        assertThat(bench.notices(1)).singleElement().asString().contains(": send.");
        assertThat(bench.sent(1).toString()).doesNotContain("id=b,");
        assertThat(bench.log())
            .contains("WRN agent:turn Invalid tool call dropped due to malformed payload");
      }
    }
  }

  @Test
  @DisplayName("B23: an answer of which only a cut call was there is tried again")
  void onlyCutCall() {
    Message.Assistant message =
        new Message.Assistant("I clean up.", List.of(Replies.call("b", "send", "")));
    Bench bench = Bench.with(Replies.answer(message, StopReason.MAX_TOKENS), Replies.report());

    bench.run();

    assertThat(bench.tools.ran).isEmpty();
    assertThat(bench.notices(1)).singleElement().asString().contains("output limit", "send");
    assertThat(bench.sent(1)).noneMatch(Message.Assistant.class::isInstance);
  }

  @Test
  @DisplayName("B24: the last call of a cut answer runs where its arguments came whole")
  void wholeCallOfCutAnswer() {
    ToolCall call = Replies.call("a", "send", "{\"a\":1}");
    Message.Assistant message = new Message.Assistant("", List.of(call));
    Bench bench = Bench.with(Replies.answer(message, StopReason.MAX_TOKENS), Replies.report());

    bench.run();

    assertThat(bench.tools.ran).containsExactly(call);
    assertThat(bench.notices(1)).isEmpty();
  }

  @Test
  @DisplayName("B24: valid calls next to a malformed one run")
  void mixed() {
    Bench bench =
        Bench.with(
            Replies.calls(Replies.call("a", "send", "{\"a\":"), Replies.call("b", "look", "")),
            Replies.report());

    bench.run();

    assertThat(bench.tools.ran).containsExactly(Replies.call("b", "look", "{}"));
    assertThat(bench.notices(1)).singleElement().asString().contains("send");
    assertThat(bench.sent(1).toString()).doesNotContain("id=a,");
    assertThat(bench.calls()).isEqualTo(2);
  }

  @Test
  @DisplayName("B24: a report next to a call that was dropped is not taken before that has run")
  void reportNextToDropped() {
    ToolCall mended = Replies.call("b", "send", "{}");
    Bench bench =
        Bench.with(
            Replies.calls(
                Replies.call("a", "send", "{\"a\":"),
                Replies.call("r", ReportRules.TOOL, Replies.REPORT)),
            Replies.calls(mended),
            Replies.report());

    bench.run();

    assertThat(bench.tools.ran).containsExactly(mended);
    assertThat(bench.notices(1)).hasSize(2).last().asString().contains("was not taken");
    assertThat(bench.calls()).isEqualTo(3);
  }

  @Test
  @DisplayName("B23: repeated and blank ids are told apart")
  void ids() {
    Bench bench =
        Bench.with(
            Replies.calls(
                Replies.call("a", "look", "{}"),
                Replies.call("a", "look", "{}"),
                Replies.call("", "look", "{}")),
            Replies.report());

    bench.run();

    assertThat(bench.tools.ran).extracting(call -> call.id()).doesNotHaveDuplicates().hasSize(3);
    WellFormed.check(bench.provider().requests.get(1).messages());
  }

  @Test
  @DisplayName("B58, B60: a notice is a user message with its reason")
  void shape() {
    Bench bench = Bench.with(Replies.text("hello"), Replies.report());

    bench.run();

    assertThat(bench.sent(1))
        .singleElement()
        .isInstanceOfSatisfying(
            Message.User.class,
            user -> {
              assertThat(user.content()).startsWith("System notice: ");
              assertThat(user.retryMessage()).isEqualTo("content-without-tools");
            });
  }

  @Test
  @DisplayName("B59: three failures of the same kind are one notice")
  void deduplicated() {
    Bench bench =
        Bench.with(Replies.text("a"), Replies.text("b"), Replies.text("c"), Replies.report())
            .maxRetries(4);

    bench.run();

    assertThat(bench.notices(3)).hasSize(1);
  }

  @Test
  @DisplayName("B61: a notice is kept only with the answer that it led to")
  void persistedOnSuccess() {
    Bench bench = Bench.with(Replies.text("a"), Replies.look("x"), Replies.report());

    bench.run();

    assertThat(bench.entries(JournalEntry.Answered.class).getFirst().notices()).hasSize(1);
    assertThat(bench.entries(JournalEntry.Answered.class).getLast().notices()).isEmpty();
    assertThat(bench.sent(2))
        .extracting(Object::getClass)
        .map(Class::getSimpleName)
        .containsExactly("User", "Assistant", "ToolResult");
  }

  @Test
  @DisplayName("B62: failed attempts leave the history as it was")
  void historyUntouched() {
    Bench bench =
        Bench.with(Replies.look("x"), Replies.network(), Replies.overloaded(), Replies.report());

    bench.run();

    assertThat(bench.sent(2)).isEqualTo(bench.sent(1));
    assertThat(bench.sent(3)).isEqualTo(bench.sent(1));
  }

  @Test
  @DisplayName("B63, B74: notices of different failures add up")
  void accumulate() {
    Bench bench =
        Bench.with(
            Replies.text("a"), Replies.calls(Replies.call("a", "look", "{")), Replies.report());

    bench.run();

    assertThat(bench.notices(2)).hasSize(2);
  }
}
