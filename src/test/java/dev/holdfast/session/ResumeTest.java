package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.context.ContextGuard;
import dev.holdfast.session.context.ContextMeter;
import dev.holdfast.session.context.ContextSettings;
import dev.holdfast.session.context.History;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEvents;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.JournalJson;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportMetadata;
import dev.holdfast.session.report.ReportRules;
import dev.holdfast.session.report.ReportSource;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.tool.ToolReply;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;

/** The journal: nothing paid for is paid twice, and nothing is done twice. */
class ResumeTest {
  private static final CallResult[] STORY = {
    Replies.look("a"),
    Replies.text("thinking aloud"),
    Replies.calls(Replies.call("a", "look", "{}"), Replies.call("b", "look", "{\"n\":1}")),
    Replies.overloaded(),
    Replies.look("c"),
    Replies.report()
  };

  private static List<JournalEntry> recorded() {
    Bench bench = Bench.with(STORY);
    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);
    return bench.journal.entries();
  }

  private static Bench over(List<JournalEntry> entries, CallResult... script) {
    Bench bench = Bench.with(script);
    bench.journal = new InMemoryJournal(entries);
    return bench;
  }

  @Test
  @DisplayName("A task that a person has changed since is told to the agent, once")
  void changedTask() {
    List<JournalEntry> begun = recorded().subList(0, 3);
    Message told = new Message.User("A person has changed the task. It is now:\nundo it");

    Bench first = over(begun, Replies.report());
    assertThat(first.session().run(List.of(Input.task("undo it"))))
        .isInstanceOf(SessionResult.Reported.class);
    assertThat(first.sent(0)).contains(told);

    Bench again = over(first.journal.entries().subList(0, 4), Replies.report());
    again.session().run(List.of(Input.task("undo it")));
    assertThat(again.sent(0)).containsOnlyOnce(told);

    Bench back = over(first.journal.entries().subList(0, 4), Replies.report());
    back.session().run(List.of(Input.task("do it")));
    assertThat(back.sent(0))
        .contains(new Message.User("A person has changed the task. It is now:\ndo it"));
  }

  @Test
  @DisplayName("Every answer and every result is written down before the next step")
  void order() {
    Bench bench = Bench.with(STORY);
    bench.tools.reaction =
        call -> {
          JournalEntry last = bench.journal.entries().getLast();
          // The second call of a batch runs when the first one's result is kept.
          if (call.id().equals("b")) {
            assertThat(last).isInstanceOf(JournalEntry.ToolFinished.class);
          } else {
            assertThat(last).isInstanceOf(JournalEntry.Answered.class);
          }
          return new ToolReply(call, ToolReply.Outcome.OK, "x", 1);
        };

    bench.run();

    assertThat(bench.journal.entries())
        .extracting(each -> each.getClass().getSimpleName())
        .containsExactly(
            "Said",
            "Answered",
            "ToolFinished",
            "Discarded",
            "Answered",
            "ToolFinished",
            "ToolFinished",
            "Answered",
            "ToolFinished",
            "Answered",
            "Ended");
  }

  @Test
  @DisplayName("C35: a session cut behind any entry goes on without paying for an answer twice")
  void cutAnywhere() {
    List<JournalEntry> all = recorded();
    for (int kept = 0; kept <= all.size(); kept++) {
      List<JournalEntry> journal = all.subList(0, kept);
      long answered = journal.stream().filter(JournalEntry.Answered.class::isInstance).count();
      boolean reported = answered == 4;
      Bench bench = over(journal, Replies.report());

      assertThat(bench.run()).as("cut at %s", kept).isInstanceOf(SessionResult.Reported.class);

      assertThat(bench.calls()).as("calls after a cut at %s", kept).isEqualTo(reported ? 0 : 1);
      bench.provider().requests.forEach(request -> checkAnswers(request, answered));
      assertThat(bench.session().run("do it")).isInstanceOf(SessionResult.Reported.class);
    }
  }

  private static void checkAnswers(ChatRequest request, long answered) {
    WellFormed.check(request.messages());
    assertThat(request.messages().stream().filter(Message.Assistant.class::isInstance))
        .hasSize((int) answered);
    assertThat(request.messages().toString()).doesNotContain(History.NO_RESULT);
  }

  @Test
  @DisplayName("A resumed session counts its turns on")
  void turnsGoOn() {
    List<JournalEntry> afterTwoTurns = recorded().subList(0, 7);
    Bench bench = over(afterTwoTurns, Replies.report());

    assertThat(bench.run())
        .isInstanceOfSatisfying(
            SessionResult.Reported.class, each -> assertThat(each.turn()).isEqualTo(3));
  }

  @Test
  @DisplayName("Calls without a result run again only where that does no harm")
  void idempotentCallsRunAgain() {
    Bench bench = over(recorded().subList(0, 6), Replies.report());

    bench.run();

    assertThat(bench.tools.ran).extracting(ToolCall::id).containsExactly("b");
  }

  @Test
  @DisplayName("A call that must not run twice and has no result goes to a person; then it goes on")
  void unknownEffect() {
    Bench first =
        Bench.with(Replies.calls(Replies.call("s", "send", "{}"), Replies.call("l", "look", "{}")));
    first.run();
    Bench second = over(first.journal.entries().subList(0, 3), Replies.report());

    assertThat(((SessionResult.UnknownEffect) second.run()).calls())
        .containsExactly(Replies.call("s", "send", "{}"));
    assertThat(second.tools.ran).extracting(ToolCall::id).containsExactly("l");
    assertThat(second.calls()).isZero();

    Bench third = over(second.journal.entries(), Replies.report());
    assertThat(third.session().run(List.of(Input.task("do it"), new Input("g-1", "it was sent"))))
        .isInstanceOf(SessionResult.Reported.class);
    WellFormed.check(third.provider().requests.getFirst().messages());
    assertThat(third.sent(0).toString()).contains("It is unknown").contains("it was sent");
    assertThat(third.tools.ran).isEmpty();
  }

  private static final ToolCall SEND_1 = Replies.call("s1", "send", "{\"to\":1}");
  private static final ToolCall LOOK = Replies.call("l", "look", "{}");
  private static final ToolCall SEND_2 = Replies.call("s2", "send", "{\"to\":2}");

  @Test
  @DisplayName(
      "5.1: a start is kept before a call that must not run twice, a result as soon as it is there")
  void batchIsKeptCallByCall() {
    Bench bench = Bench.with(Replies.calls(SEND_1, LOOK, SEND_2), Replies.report());
    bench.run();

    assertThat(bench.journal.entries())
        .extracting(each -> each.getClass().getSimpleName())
        .containsExactly(
            "Said",
            "Answered",
            "ToolStarted",
            "ToolFinished",
            "ToolFinished",
            "ToolStarted",
            "ToolFinished",
            "Answered",
            "Ended");
  }

  @Test
  @DisplayName("5.1: killed within a batch, what has ended is kept and what never began is run")
  void killedWithinBatch() {
    Bench whole = Bench.with(Replies.calls(SEND_1, LOOK, SEND_2), Replies.report());
    whole.run();
    List<JournalEntry> all = whole.journal.entries();

    assertThat(ranAfter(all.subList(0, 2))).as("nothing began").containsExactly("s1", "l", "s2");
    assertThat(ranAfter(all.subList(0, 4))).as("s1 has ended").containsExactly("l", "s2");
    assertThat(ranAfter(all.subList(0, 5))).as("l has ended").containsExactly("s2");
    assertThat(ranAfter(all.subList(0, 7))).as("all have ended").isEmpty();
  }

  private static List<String> ranAfter(List<JournalEntry> entries) {
    Bench bench = over(entries, Replies.report());
    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);
    bench.provider().requests.forEach(request -> WellFormed.check(request.messages()));
    return bench.tools.ran.stream().map(ToolCall::id).toList();
  }

  @Test
  @DisplayName(
      "5.1: behind a call of unknown outcome nothing runs that changes something; the model is"
          + " told what was not run")
  void behindUnclear() {
    Bench whole = Bench.with(Replies.calls(SEND_1, LOOK, SEND_2), Replies.report());
    whole.run();
    Bench second = over(whole.journal.entries().subList(0, 3), Replies.report());

    assertThat(((SessionResult.UnknownEffect) second.run()).calls()).containsExactly(SEND_1);
    assertThat(second.tools.ran).containsExactly(LOOK);

    Bench third = over(second.journal.entries(), Replies.report());
    assertThat(third.run()).isInstanceOf(SessionResult.Reported.class);
    assertThat(third.tools.ran).isEmpty();
    assertThat(third.sent(0).toString()).contains("It is unknown", "This call was not run");
  }

  @Test
  @DisplayName(
      "5.1: in the journal of an older version, which kept no starts, any call may have begun")
  void olderJournal() {
    Bench first = Bench.with(Replies.calls(SEND_1), Replies.report());
    first.run();
    String written =
        JournalJson.write(first.journal.entries().get(1)).replace(",\"startsKept\":true", "");
    assertThat(written).doesNotContain("startsKept");

    Bench second =
        over(
            List.of(first.journal.entries().getFirst(), JournalJson.read(written)),
            Replies.report());

    assertThat(second.run()).isInstanceOf(SessionResult.UnknownEffect.class);
    assertThat(second.tools.ran).isEmpty();
  }

  @Test
  @DisplayName("5.1: what a tool says that was left behind is not written any more")
  void lateResult() throws Exception {
    Bench bench = Bench.with(Replies.report());
    bench.run();
    RunState run =
        new RunState(
            new Memory(
                bench.journal, new ContextGuard(ContextSettings.DEFAULT, new ContextMeter(0))),
            new Position(1, new SessionEvents(List.of())),
            new Notices(),
            new SessionEvents(List.of()));
    int before = bench.journal.entries().size();
    ToolRecord written = new ToolRecord(run, Admission.of(1, List.of()));
    written.close();

    assertThatThrownBy(() -> written.finished(new ToolReply(LOOK, ToolReply.Outcome.OK, "late", 1)))
        .isInstanceOf(InterruptedException.class);
    assertThatThrownBy(() -> written.starting(SEND_1)).isInstanceOf(InterruptedException.class);
    assertThat(bench.journal.entries()).hasSize(before);
  }

  @Test
  @DisplayName("B5: a turn that was cut off goes on with the target whose turn it is")
  void nextTarget() {
    Bench first = Bench.with(Replies.text("hm"), Replies.report());
    first.run();
    Bench second = over(first.journal.entries().subList(0, 2), Replies.text("hm"));
    second.target("two", Replies.text("hm"));
    second.target("three", Replies.report());

    assertThat(second.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(second.tried()).containsExactly("two", "three");
  }

  private static final Input WORDS = Input.guidance("1", "do not do that");
  private static final ToolCall REPORT = Replies.call("r", ReportRules.TOOL, Replies.REPORT);

  /** What an execution journals that is cut off before its first answer is carried out. */
  private static List<JournalEntry> answered(ToolCall... calls) {
    Bench whole = Bench.with(Replies.calls(calls), Replies.report());
    whole.run();
    return whole.journal.entries().subList(0, 2);
  }

  private static List<JournalEntry> with(List<JournalEntry> journal, JournalEntry... more) {
    return Stream.concat(journal.stream(), Stream.of(more)).toList();
  }

  private static SessionResult told(Bench bench) {
    return bench.session().run(List.of(Input.task("do it"), WORDS));
  }

  @Test
  @DisplayName(
      "B50: a cached report from before a person spoke is no result of the final turn, after a"
          + " crash neither")
  void cachedBeforeWords() {
    Bench first = Bench.with(Replies.text(Replies.REPORT), Replies.calls(LOOK), Replies.report());
    first.run();
    List<JournalEntry> cached = first.journal.entries().subList(0, 3);
    List<JournalEntry> heard = with(cached, new JournalEntry.Said(WORDS));

    assertThat(over(cached, Replies.empty()).maxTurns(2).run())
        .isInstanceOf(SessionResult.Reported.class);
    assertThat(told(over(cached, Replies.empty()).maxTurns(2)))
        .isInstanceOf(SessionResult.Failed.class);
    assertThat(told(over(heard, Replies.empty()).maxTurns(2)))
        .isInstanceOf(SessionResult.Failed.class);
  }

  @Test
  @DisplayName(
      "5.1: a person who speaks before a call has begun is heard before it runs: the model is"
          + " asked again")
  void heardBeforeCalls() {
    Bench bench = over(answered(LOOK, SEND_1), Replies.report());

    assertThat(told(bench))
        .isInstanceOfSatisfying(
            SessionResult.Reported.class, each -> assertThat(each.turn()).isEqualTo(2));

    assertThat(bench.tools.ran).isEmpty();
    List<Message> sent = bench.provider().requests.getFirst().messages();
    WellFormed.check(sent);
    assertThat(sent).endsWith(new Message.User("do not do that"));
    assertThat(sent.toString())
        .contains("was not run: a person has spoken since")
        .contains("no result: a person has spoken since")
        .doesNotContain(History.NO_RESULT);
  }

  @Test
  @DisplayName("5.1: a report that a person's words have overtaken is not taken")
  void heardBeforeReport() {
    for (ToolCall[] calls : List.of(new ToolCall[] {LOOK, REPORT}, new ToolCall[] {REPORT})) {
      Bench bench = over(answered(calls), Replies.report()).maxTurns(1);

      assertThat(told(bench)).isInstanceOf(SessionResult.Reported.class);

      assertThat(bench.calls()).isEqualTo(1);
      assertThat(bench.tools.ran).isEmpty();
      assertThat(bench.sent(0).toString())
          .contains("The report was not taken: a person has spoken since")
          .contains("do not do that");
    }
  }

  @Test
  @DisplayName(
      "5.1: a call that may have begun before a person spoke stays unknown; no other runs, and"
          + " the words are said once")
  void heardWhileUnclear() {
    List<JournalEntry> begun =
        with(answered(SEND_1, LOOK, SEND_2, REPORT), new JournalEntry.ToolStarted(1, "s1", "send"));
    Bench bench = over(begun, Replies.report());

    assertThat(((SessionResult.UnknownEffect) told(bench)).calls()).containsExactly(SEND_1);
    assertThat(bench.tools.ran).isEmpty();
    assertThat(bench.calls()).isZero();

    Bench next = over(bench.journal.entries(), Replies.report());
    assertThat(told(next)).isInstanceOf(SessionResult.Reported.class);
    assertThat(next.tools.ran).isEmpty();
    assertThat(next.sent(0).stream().filter(new Message.User("do not do that")::equals)).hasSize(1);
    WellFormed.check(next.provider().requests.getFirst().messages());
  }

  @Test
  @DisplayName("5.1: a worker that stops at once has taken the words down in front of no call")
  void heardByStopping() {
    Bench stopping = over(answered(SEND_1, REPORT), Replies.report());
    stopping.session().stop();
    assertThat(told(stopping)).isEqualTo(new SessionResult.Stopped());

    Bench next = over(stopping.journal.entries(), Replies.report());
    assertThat(told(next)).isInstanceOf(SessionResult.Reported.class);
    assertThat(next.tools.ran).isEmpty();
    assertThat(next.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "B7: a report next to a call that failed before a crash is not taken before the model has"
          + " seen it fail")
  void failedBeforeCrash() {
    List<JournalEntry> failed =
        with(
            answered(SEND_1, LOOK, REPORT),
            new JournalEntry.ToolFinished(
                1, new ToolReply(SEND_1, ToolReply.Outcome.FAILED, "it broke", 1)));
    Bench bench = over(failed, Replies.report());

    assertThat(bench.run())
        .isInstanceOfSatisfying(
            SessionResult.Reported.class, each -> assertThat(each.turn()).isEqualTo(2));
    assertThat(bench.tools.ran).containsExactly(LOOK);
    assertThat(bench.sent(0).toString()).contains("it broke", "The report was not taken");
    WellFormed.check(bench.provider().requests.getFirst().messages());
  }

  @Test
  @DisplayName("C38: a tool that does not know whether it has taken effect ends the session")
  void unknownEffectWhileRunning() {
    Bench bench = Bench.with(Replies.calls(Replies.call("s", "send", "{}")), Replies.report());
    bench.tools.reaction =
        call -> new ToolReply(call, ToolReply.Outcome.UNKNOWN_EFFECT, "timed out", 1);

    assertThat(((SessionResult.UnknownEffect) bench.run()).replies())
        .extracting(ToolReply::content)
        .containsExactly("timed out");
    assertThat(bench.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("5.2: a call that timed out is no answer to the next process, which asks again")
  void behindTimeout() {
    CallResult.Failed cut =
        Replies.failed(FailureKind.TIMEOUT, true, "no answer").withUsage(new Usage(90, 0, 0, 20));
    Bench first = Bench.with(Replies.look("a"), cut, Replies.report());
    first.run();
    List<JournalEntry> journal = first.journal.entries();
    int late =
        journal.indexOf(
            journal.stream()
                .filter(JournalEntry.Discarded.class::isInstance)
                .findFirst()
                .orElseThrow());

    Bench second = over(journal.subList(0, late + 1), Replies.report()).maxRetries(1);

    assertThat(second.run()).isInstanceOf(SessionResult.Reported.class);
    assertThat(second.calls()).isEqualTo(1);
    assertThat(second.tools.ran).isEmpty();
  }

  @Test
  @DisplayName("A cancel during a tool leaves a journal that goes on")
  void cancelledInTool() throws Exception {
    Bench bench = Bench.with(Replies.look("a"));
    var reached = new java.util.concurrent.CountDownLatch(1);
    bench.tools.reaction =
        call -> {
          reached.countDown();
          new java.util.concurrent.CountDownLatch(1).await();
          throw new AssertionError();
        };
    Running running = Running.start(bench);
    reached.await();
    running.interrupt();
    assertThat(running.result()).isEqualTo(new SessionResult.Cancelled());

    Bench next = over(bench.journal.entries(), Replies.report());

    assertThat(next.run()).isInstanceOf(SessionResult.Reported.class);
    assertThat(next.tools.ran).hasSize(1);
    assertThat(next.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("A successful report is handed out again; nothing is asked twice")
  void successAgain() {
    Bench bench = over(recorded(), Replies.empty());

    assertThat(bench.run())
        .isEqualTo(
            new SessionResult.Reported(
                new FinalReport(FinalReport.Status.SUCCESS, "all done", null),
                ReportSource.TOOL_CALL,
                4));
    assertThat(bench.calls()).isZero();
  }

  @Test
  @DisplayName("Guidance after the end goes on with the same conversation and fresh turns")
  void guidance() {
    Bench bench = over(recorded(), Replies.report());

    assertThat(bench.session().run(List.of(Input.task("do it"), new Input("g-1", "use tabs"))))
        .isInstanceOfSatisfying(
            SessionResult.Reported.class, each -> assertThat(each.turn()).isEqualTo(1));

    List<Message> sent = bench.provider().requests.getFirst().messages();
    assertThat(sent).endsWith(new Message.User("use tabs"));
    assertThat(sent.stream().filter(each -> each.equals(new Message.User("do it")))).hasSize(1);
    WellFormed.check(sent);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"status\":\"failure\",\"content\":\"cannot\"}",
        "{\"status\":\"question\",\"content\":\"which?\",\"choices\":[\"a\",\"b\"]}"
      })
  @DisplayName(
      "5.1: killed before a failure or a question was stored, it is handed out again; nothing is"
          + " asked twice")
  void reportAgain(String report) {
    Bench first = Bench.with(Replies.report(report));
    SessionResult reported = first.run();
    Bench second = over(first.journal.entries(), Replies.report());

    assertThat(second.run()).isInstanceOf(SessionResult.Reported.class).isEqualTo(reported);
    assertThat(second.calls()).isZero();
  }

  @Test
  @DisplayName("A report of failure is worked on again when the ticket is retried")
  void failureAgain() {
    Bench first = Bench.with(Replies.report("{\"status\":\"failure\",\"content\":\"cannot\"}"));
    first.run();
    Bench second = over(first.journal.entries(), Replies.report());

    Input lessons = new Input("attempts-1", "This is attempt 2 at the task.");
    assertThat(second.session().run(List.of(Input.task("do it"), lessons)))
        .isInstanceOfSatisfying(
            SessionResult.Reported.class,
            each -> assertThat(each.report().status()).isEqualTo(FinalReport.Status.SUCCESS));
    assertThat(second.sent(0).getLast().toString()).contains("This is attempt 2");
  }

  @Test
  @DisplayName("What was spent before counts against the cost limit after a resume")
  void costAcrossResumes() {
    Bench bench = over(recorded().subList(0, 7), Replies.report());
    SessionSettings.Limits limits = bench.settings.limits();
    bench.settings =
        bench.settings.withLimits(
            new SessionSettings.Limits(20, 3, limits.llmTimeout(), null, new BigDecimal("0.03")));

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(failed.exit()).isEqualTo(SessionExitCode.COST_LIMIT);
    assertThat(bench.calls()).isZero();
    assertThat(bench.events(SessionEvent.Finished.class).getLast().spent().costUsd())
        .isEqualByComparingTo("0.03");
  }

  @Test
  @DisplayName("Every entry survives being written as JSON")
  void json() {
    List<JournalEntry> all = new java.util.ArrayList<>(recorded());
    all.add(
        new JournalEntry.TurnFailed(3, new dev.holdfast.llm.Target("p", "m"), "error", "x", null));
    all.add(
        new JournalEntry.Compacted(
            List.of(
                new Message.User("a"),
                new Message.Assistant("t", "r", List.of(Replies.call("i", "n", "{}")), "{}"),
                new Message.ToolResult("i", "n", "c", true)),
            true,
            null,
            Replies.USAGE,
            null));
    all.add(
        new JournalEntry.Ended(
            1,
            "EXIT-TOKEN-LIMIT",
            FinalReport.failure("no"),
            ReportSource.SYNTHETIC,
            new ReportMetadata("context", 1, 0, "end", null)));

    assertThat(all).extracting(each -> JournalJson.read(JournalJson.write(each))).isEqualTo(all);
    assertThat(JournalJson.write(all.getFirst()))
        .isEqualTo("{\"entry\":\"said\",\"input\":{\"key\":\"task-5b428e0\",\"text\":\"do it\"}}");
  }

  @Test
  @DisplayName("What is no entry is refused; keys of a newer version are not")
  void badJson() {
    for (String garbage :
        List.of("", "{}", "[]", "{\"entry\":\"nope\"}", "{\"entry\":\"answered\"}")) {
      org.assertj.core.api.Assertions.assertThatThrownBy(() -> JournalJson.read(garbage))
          .isInstanceOfAny(JacksonException.class, NullPointerException.class);
    }
    assertThat(
            JournalJson.read(
                "{\"entry\":\"said\",\"input\":{\"key\":\"k\",\"text\":\"t\",\"new\":1},\"x\":[]}"))
        .isEqualTo(new JournalEntry.Said(new Input("k", "t")));
  }
}
