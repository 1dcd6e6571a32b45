package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.llm.CallResult;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.tool.ToolReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Sessions that go round in circles. */
class LoopTest {
  private static Bench bench(CallResult... script) {
    Bench bench = Bench.with(script);
    bench.settings = bench.settings.withLoops(LoopSettings.DEFAULT);
    return bench;
  }

  private static CallResult look(String id, String path) {
    return Replies.calls(Replies.call(id, "look", "{\"path\":\"" + path + "\"}"));
  }

  private static void fails(Bench bench) {
    bench.tools.reaction = call -> new ToolReply(call, ToolReply.Outcome.FAILED, "no such file", 1);
  }

  private static List<Integer> nudged(Bench bench) {
    List<Integer> nudged = new ArrayList<>();
    for (int i = 0; i < bench.calls(); i++) {
      if (bench.notices(i).stream().anyMatch(each -> each.contains("again and again"))) {
        nudged.add(i + 1);
      }
    }
    return nudged;
  }

  @Test
  @DisplayName(
      "5.5: the same call with the same error is nudged once, then ends with its own reason")
  void sameError() {
    Bench bench = bench(look("a", "x"));
    fails(bench);

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(bench.calls()).isEqualTo(5);
    assertThat(nudged(bench)).as("from the fourth request on it is history").containsExactly(4, 5);
    assertThat(bench.entries(JournalEntry.Answered.class))
        .filteredOn(each -> !each.notices().isEmpty())
        .as("told once")
        .hasSize(1);
    assertThat(failed.exit()).isEqualTo(SessionExitCode.LOOP);
    assertThat(failed.exit().wireName()).isEqualTo("EXIT-LOOP");
    assertThat(failed.metadata().reason()).isEqualTo("loop");
    assertThat(failed.category()).isEqualTo(Category.CODE_ERROR);
    assertThat(failed.error()).contains("round in circles", "look {\"path\":\"x\"}");
  }

  @Test
  @DisplayName(
      "B56, T20: turn after turn without a usable answer ends like a loop, not after all turns")
  void uselessTurns() {
    Bench bench = bench(Replies.text("hm"));
    bench.maxTurns(20);

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(bench.calls()).as("five turns of three tries").isEqualTo(15);
    assertThat(failed.exit()).isEqualTo(SessionExitCode.LOOP);
    assertThat(failed.category()).isEqualTo(Category.CODE_ERROR);
    assertThat(failed.error())
        .isEqualTo(
            "the last 5 turns in a row brought no usable answer: its last answer was text and"
                + " called no tool");
  }

  @Test
  @DisplayName(
      "B49, B50, B56: turns that brought nothing but a report in the wrong place make the next turn"
          + " the last one, after which that report is taken; so it is after a restart")
  void uselessTurnsWithReport() {
    for (CallResult misplaced : List.of(Replies.text(Replies.REPORT), Replies.misplacedReport())) {
      Bench bench = bench(misplaced).maxTurns(20);

      assertAdopted(bench.run());

      assertThat(bench.calls()).as("six turns of three tries").isEqualTo(18);
      assertThat(bench.events(SessionEvent.Collapsed.class))
          .containsExactly(new SessionEvent.Collapsed("loop", 5, 20, 6));
      List<JournalEntry> all = bench.journal.entries();
      for (int kept = 1; kept < all.size(); kept++) {
        Bench resumed = bench(misplaced).maxTurns(20);
        resumed.journal = new InMemoryJournal(all.subList(0, kept));
        assertAdopted(resumed.run());
      }
    }
  }

  @Test
  @DisplayName("B50, 5.5: so it is where it went round in circles after such a report")
  void circlesAfterReport() {
    Bench bench = bench(Replies.text(Replies.REPORT), look("a", "x")).maxTurns(20);
    fails(bench);

    assertAdopted(bench.run());

    assertThat(bench.calls()).as("one report, five steps, the last turn").isEqualTo(9);
  }

  private static void assertAdopted(SessionResult result) {
    assertThat(result)
        .isInstanceOfSatisfying(
            SessionResult.Reported.class,
            each -> assertThat(each.report().content()).isEqualTo("all done"));
  }

  @Test
  @DisplayName("5.5: two calls that alternate are a loop as well")
  void alternating() {
    List<CallResult> script = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      script.add(look("c" + i, i % 2 == 0 ? "x" : "y"));
    }
    Bench bench = bench(script.toArray(CallResult[]::new));

    assertThat(bench.runToFailure().exit()).isEqualTo(SessionExitCode.LOOP);
    assertThat(bench.calls()).isEqualTo(10);
    assertThat(nudged(bench)).first().isEqualTo(7);
  }

  @Test
  @DisplayName("5.5: the same answer again, with other results, is given twice the time")
  void sameAnswer() {
    Bench bench = bench(look("a", "x"));
    AtomicInteger results = new AtomicInteger();
    bench.tools.reaction =
        call -> new ToolReply(call, ToolReply.Outcome.OK, "took " + results.incrementAndGet(), 1);

    assertThat(bench.runToFailure().exit()).isEqualTo(SessionExitCode.LOOP);
    assertThat(bench.calls()).isEqualTo(10);
  }

  @Test
  @DisplayName("5.5: what differs is no loop, nor what goes on elsewhere after the nudge")
  void noLoop() {
    Bench bench =
        bench(
            look("a", "x"),
            look("b", "x"),
            look("c", "x"),
            look("d", "y"),
            look("e", "x"),
            look("f", "x"),
            Replies.report());
    fails(bench);

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);
    assertThat(nudged(bench)).first().isEqualTo(4);
  }

  @Test
  @DisplayName("5.5: after a restart a loop is seen as before; a person's words begin anew")
  void restarted() {
    Bench first = bench(look("a", "x"));
    fails(first);
    first.runToFailure();
    List<JournalEntry> kept =
        first.journal.entries().stream()
            .filter(each -> !(each instanceof JournalEntry.Ended))
            .toList();
    Bench second = bench(look("a", "x"));
    second.journal = new InMemoryJournal(kept.subList(0, kept.size() - 2));
    fails(second);

    assertThat(second.runToFailure().exit()).isEqualTo(SessionExitCode.LOOP);
    assertThat(second.calls()).isEqualTo(1);

    Bench third = bench(look("a", "x"), Replies.report());
    third.journal = new InMemoryJournal(first.journal.entries());
    fails(third);
    assertThat(third.session().run(List.of(Input.task("do it"), new Input("g", "try y"))))
        .isInstanceOf(SessionResult.Reported.class);
  }

  @Test
  @DisplayName("5.5: it can be turned off")
  void off() {
    Bench bench = bench(look("a", "x")).maxTurns(8);
    bench.settings = bench.settings.withLoops(LoopSettings.OFF);
    fails(bench);

    assertThat(bench.runToFailure().exit()).isEqualTo(SessionExitCode.MAX_TURNS);
  }
}
