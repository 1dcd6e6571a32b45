package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.session.context.ContextSettings;
import dev.holdfast.session.context.Summariser;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.Standing;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.report.Spent;
import dev.holdfast.tool.ToolReply;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What a session knows survives whatever ends its process: a story is cut at each entry of its
 * journal and put off before each of its calls, and goes on as if nothing had been.
 */
class StateSweepTest {
  /** All that a session goes on with, at the moment of a call. */
  private record State(
      Standing standing,
      Spent spent,
      List<Message> conversation,
      List<ToolCall> open,
      int compactions,
      List<Message> shown) {}

  /** A refused report, discarded answers, a misplaced report, a final turn whose tries run out. */
  private static final List<CallResult> STORY =
      List.of(
          Replies.look("a"),
          Replies.text("thinking aloud"),
          Replies.calls(
              Replies.call("b", "look", "{}"), Replies.call("c", "look", "not an object")),
          Replies.misplacedReport(),
          Replies.report("{\"status\":\"success\"}"),
          Replies.empty(),
          Replies.text("no"),
          Replies.empty(),
          Replies.text("never"));

  private static final int MAX_TURNS = 9;

  /** A story that is told from some answer on, and the states that its calls were made in. */
  private record Told(Bench bench, List<State> states, SessionResult result) {}

  private static Told tell(Journal journal, int from, int putOffAt) {
    Bench bench = new Bench().maxTurns(MAX_TURNS);
    bench.journal = journal;
    ScriptedProvider provider = bench.target("one");
    List<State> states = new ArrayList<>();
    for (int i = from; i <= STORY.size(); i++) {
      CallResult answer = STORY.get(Math.min(i, STORY.size() - 1));
      boolean closed = i == putOffAt;
      provider.then(
          request -> {
            states.add(state(bench.session(), request.messages()));
            return closed ? Replies.closed(Duration.ofMinutes(5)) : answer;
          });
    }
    return new Told(bench, states, bench.run());
  }

  private static State state(Session session, List<Message> shown) {
    RunState run = session.state();
    return new State(
        run.standing(),
        run.memory().spent(),
        run.memory().history().stored(),
        run.memory().openCalls(),
        run.memory().compactions(),
        shown);
  }

  private static Told whole() {
    Told whole = tell(new InMemoryJournal(), 0, -1);
    assertThat(whole.result()).isInstanceOf(SessionResult.Reported.class);
    assertThat(whole.bench().calls()).isEqualTo(STORY.size());
    return whole;
  }

  @Test
  @DisplayName(
      "B46, B49: cut behind any entry of its journal, a session goes on with the same turn, last"
          + " turn, spent tries, cached report, notices and costs, and asks for no answer twice")
  void cutAnywhere() {
    Told whole = whole();
    List<JournalEntry> all = whole.bench().journal.entries();
    for (int kept = 0; kept < all.size(); kept++) {
      List<JournalEntry> before = all.subList(0, kept);
      int answers = (int) before.stream().filter(StateSweepTest::isPaid).count();

      Told cut = tell(new InMemoryJournal(before), answers, -1);

      assertThat(cut.states())
          .as("states behind entry %s", kept)
          .isEqualTo(whole.states().subList(answers, whole.states().size()));
      assertThat(cut.result()).as("cut at %s", kept).isEqualTo(whole.result());
    }
  }

  private static boolean isPaid(JournalEntry entry) {
    return entry instanceof JournalEntry.Answered || entry instanceof JournalEntry.Discarded;
  }

  @Test
  @DisplayName("B46, B49: put off before any call, a session goes on as if it had not been")
  void putOffAnywhere() {
    Told whole = whole();
    for (int call = 0; call < whole.states().size(); call++) {
      Told put = tell(new InMemoryJournal(), 0, call);
      assertThat(put.result()).isInstanceOf(SessionResult.StoodStill.class);

      Told later = tell(put.bench().journal, call, -1);

      assertThat(later.states())
          .as("states behind a deferral before call %s", call)
          .isEqualTo(whole.states().subList(call, whole.states().size()));
      assertThat(later.result()).isEqualTo(whole.result());
      assertThat(later.bench().journal.entries()).isEqualTo(whole.bench().journal.entries());
    }
  }

  @Test
  @DisplayName("D20: a session that goes on after a crash has the auto-retries that are left")
  void autoRetries() {
    Bench first = Bench.with(Replies.overloaded()).autoRetry().maxRetries(1);
    first.run();
    List<JournalEntry> all = first.journal.entries();
    List<JournalEntry> afterTwo = all.subList(0, all.indexOf(failed(all, 1)) + 1);

    Bench second = Bench.with(Replies.overloaded()).autoRetry().maxRetries(1);
    second.journal = new InMemoryJournal(afterTwo);
    second.run();

    assertThat(first.calls()).isEqualTo(4);
    assertThat(second.calls()).as("runs of the turn behind two that failed").isEqualTo(2);
    assertThat(second.events(SessionEvent.AutoRetryEnd.class))
        .extracting(SessionEvent.AutoRetryEnd::attempt)
        .containsExactly(3);
  }

  private static JournalEntry failed(List<JournalEntry> all, int number) {
    return all.stream().filter(JournalEntry.TurnFailed.class::isInstance).toList().get(number);
  }

  @Test
  @DisplayName("B53: what one execution has spent does not bind the one behind its end")
  void endsAnew() {
    Told whole = whole();
    Bench again = Bench.with(Replies.look("z"), Replies.report()).maxTurns(MAX_TURNS);
    again.journal = whole.bench().journal;

    again.session().run(List.of(Input.task("do it"), new Input("g", "not good enough")));

    assertThat(again.tools.ran).hasSize(1);
    assertThat(again.calls()).isEqualTo(2);
  }

  @Test
  @DisplayName("B43: a person who allows more turns ends a final turn that was forced before")
  void moreTurns() {
    Bench first = Bench.with(Replies.text("no"), Replies.closed(Duration.ofMinutes(5))).maxTurns(1);
    first.run();
    Bench second = Bench.with(Replies.look("a"), Replies.report()).maxTurns(3);
    second.journal = first.journal;

    assertThat(second.run()).isInstanceOf(SessionResult.Reported.class);
    assertThat(second.tools.ran).hasSize(1);
    assertThat(first.sent(0).toString()).contains("no other tool is available");
    assertThat(second.sent(0).toString())
        .as("the model is not told that it is the last turn")
        .doesNotContain("no other tool is available", NoticeText.REPORT_NOW);
  }

  @Test
  @DisplayName("A summary that makes nothing smaller is paid for once and counted")
  void uselessSummary() {
    Bench bench = Bench.with(Replies.look("a"), Replies.look("b"), Replies.report());
    bench.settings = bench.settings.withContext(new ContextSettings(400, 0.1, 1, true));
    bench.summariser =
        (transcript, routes) ->
            Optional.of(
                new Summariser.Summary(
                    new Target("one", "m-one"),
                    "x".repeat(4000),
                    Replies.USAGE,
                    new BigDecimal("0.5")));

    bench.tools.reaction =
        call ->
            new ToolReply(
                call, ToolReply.Outcome.OK, call.id().equals("b") ? "y".repeat(200) : "y", 1);

    bench.session().run("x".repeat(320));

    assertThat(bench.events(SessionEvent.Finished.class).getFirst().spent().costUsd())
        .isEqualTo(new BigDecimal("0.53"));
    assertThat(bench.entries(JournalEntry.Compacted.class)).hasSize(1);
  }
}
