package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.session.approval.Approvals;
import dev.holdfast.session.approval.PendingCall;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.ReportRules;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.tool.ToolReply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls that a person has to allow, as the session sees them. */
class ApprovalsTest {
  private static final ToolCall LOOK = Replies.call("l", "look", "{}");
  private static final ToolCall SEND_1 = Replies.call("s1", "send", "{\"to\":1}");
  private static final ToolCall SEND_2 = Replies.call("s2", "send", "{\"to\":2}");

  private final Map<String, Approvals.Permission> said = new HashMap<>();

  private Approvals.Permission permission(ToolCall call) {
    return call.name().equals("send")
        ? said.getOrDefault(
            call.id(), new Approvals.Permission.Waits(new PendingCall(7, call, "sends")))
        : new Approvals.Permission.Allowed(call, null);
  }

  private Bench bench(Journal journal) {
    Bench bench = Bench.with(Replies.calls(LOOK, SEND_1, SEND_2), Replies.report());
    bench.approvals =
        (answer, turn, calls) -> {
          assertThat(answer).isEqualTo(1);
          return calls.stream().map(this::permission).toList();
        };
    bench.journal = journal;
    return bench;
  }

  @Test
  @DisplayName(
      "5.4: until every call is decided none of the answer runs, however often it restarts")
  void waits() {
    Journal journal = new InMemoryJournal();
    Bench first = bench(journal);
    assertThat(first.run())
        .isEqualTo(
            new SessionResult.AwaitsApproval(
                List.of(new PendingCall(7, SEND_1, "sends"), new PendingCall(7, SEND_2, "sends"))));
    said.put("s1", new Approvals.Permission.Allowed(SEND_1, null));
    Bench second = bench(journal);

    assertThat(second.run())
        .isEqualTo(new SessionResult.AwaitsApproval(List.of(new PendingCall(7, SEND_2, "sends"))));
    assertThat(first.tools.ran).isEmpty();
    assertThat(second.tools.ran).isEmpty();
    assertThat(second.calls()).isZero();
  }

  @Test
  @DisplayName(
      "5.4: what was allowed runs once and as it was allowed; the model is told what was changed"
          + " and denied")
  void decided() {
    Journal journal = new InMemoryJournal();
    bench(journal).run();
    ToolCall edited = Replies.call("s1", "send", "{\"to\":99}");
    said.put("s1", new Approvals.Permission.Allowed(edited, "[changed]"));
    said.put("s2", new Approvals.Permission.Denied(SEND_2, "not to 2"));
    Bench bench = bench(journal);
    bench.provider().then(Replies.report());
    bench.routes.clear();
    bench.target("one", Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.tools.ran).containsExactly(LOOK, edited);
    assertThat(bench.sent(0))
        .as("people's words are messages of their own, behind all results")
        .endsWith(
            new Message.ToolResult("s1", "send", "did send", false),
            new Message.ToolResult(
                "s2", "send", "This call was not allowed, and was not run.", true),
            new Message.User("not to 2"),
            new Message.User("[changed]"));
    WellFormed.check(bench.provider().requests.getFirst().messages());
    Bench again = bench(journal);
    assertThat(again.run()).isInstanceOf(SessionResult.Reported.class);
    assertThat(again.tools.ran).isEmpty();
  }

  @Test
  @DisplayName(
      "5.4: what people decided and said of calls is told also where guidance follows and none of"
          + " the calls runs any more")
  void decidedBeforeGuidance() {
    Journal journal = new InMemoryJournal();
    bench(journal).run();
    said.put("s1", new Approvals.Permission.Denied(SEND_1, "never to 1"));
    said.put("s2", new Approvals.Permission.Allowed(SEND_2, "but be polite"));
    Bench bench = withReport(journal, Replies.report());

    assertThat(bench.session().run(List.of(Input.task("do it"), Input.guidance("1", "be quick"))))
        .isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.tools.ran).isEmpty();
    assertThat(bench.sent(0))
        .contains(
            new Message.ToolResult(
                "s1", "send", "This call was not allowed, and was not run.", true))
        .endsWith(
            new Message.User("never to 1"),
            new Message.User("but be polite"),
            new Message.User("be quick"));
    WellFormed.check(bench.provider().requests.getFirst().messages());
  }

  @Test
  @DisplayName("5.4: an allowed call that was cut off is not run again")
  void cutOff() {
    Journal journal = new InMemoryJournal();
    bench(journal).run();
    said.put("s1", new Approvals.Permission.Allowed(SEND_1, null));
    said.put("s2", new Approvals.Permission.Allowed(SEND_2, null));
    journal.append(List.of(new JournalEntry.ToolStarted(1, "s1", "send")));
    Bench bench = bench(journal);

    assertThat(((SessionResult.UnknownEffect) bench.run()).calls()).containsExactly(SEND_1);
    assertThat(bench.tools.ran).containsExactly(LOOK);
  }

  private static final ToolCall REPORT = Replies.call("r", ReportRules.TOOL, Replies.REPORT);

  /** The answer with a report is in the journal; its call waits. */
  private Journal answeredWithReport() {
    Journal journal = new InMemoryJournal();
    Bench bench = withReport(journal, Replies.calls(SEND_1, LOOK, REPORT));
    assertThat(bench.run()).isInstanceOf(SessionResult.AwaitsApproval.class);
    return journal;
  }

  private Bench withReport(Journal journal, CallResult answer) {
    Bench bench = bench(journal);
    bench.routes.clear();
    bench.target("one", answer);
    return bench;
  }

  private void seesFirst(Journal journal, String... words) {
    Bench bench = withReport(journal, Replies.report());
    assertThat(bench.run())
        .isInstanceOfSatisfying(
            SessionResult.Reported.class, each -> assertThat(each.turn()).isEqualTo(2));
    assertThat(bench.sent(0).toString()).contains(words);
    WellFormed.check(bench.provider().requests.getFirst().messages());
  }

  @Test
  @DisplayName(
      "5.4: what a person says when allowing a call is read before a report of the same answer is"
          + " taken, after a crash too")
  void wordsBeforeReport() {
    Journal journal = answeredWithReport();
    said.put("s1", new Approvals.Permission.Allowed(SEND_1, "only if you tell ann"));
    seesFirst(
        journal, "only if you tell ann", "The report was not taken: a person has spoken since");

    said.clear();
    Journal crashed = answeredWithReport();
    said.put("s1", new Approvals.Permission.Allowed(SEND_1, "only if you tell ann"));
    crashed.append(
        List.of(
            new JournalEntry.ToolFinished(
                1, new ToolReply(SEND_1, ToolReply.Outcome.OK, "did send", 1)),
            new JournalEntry.Said(Input.ofCall(1, SEND_1.id(), "only if you tell ann"))));
    seesFirst(crashed, "The report was not taken: a person has spoken since");
  }

  @Test
  @DisplayName("5.4: a denial that was kept before a crash holds a report of the same answer back")
  void deniedBeforeReport() {
    Journal crashed = answeredWithReport();
    crashed.append(
        List.of(
            new JournalEntry.ToolFinished(
                1, new ToolReply(SEND_1, ToolReply.Outcome.MODEL_RETRY, "not allowed", 0)),
            new JournalEntry.Said(Input.ofCall(1, SEND_1.id(), "not to 1"))));
    seesFirst(crashed, "not to 1", "The report was not taken");
  }

  @Test
  @DisplayName("B50: a cached report from before a person denied a call is no result")
  void cachedBeforeDenial() {
    Bench first = Bench.with(Replies.text(Replies.REPORT), Replies.calls(SEND_1));
    first.approvals = (answer, turn, calls) -> calls.stream().map(this::permission).toList();
    assertThat(first.run()).isInstanceOf(SessionResult.AwaitsApproval.class);
    said.put("s1", new Approvals.Permission.Denied(SEND_1, "not to 1"));

    assertThat(withReport(first.journal, Replies.empty()).maxTurns(2).run())
        .isInstanceOf(SessionResult.Failed.class);
  }

  @Test
  @DisplayName("5.4: a report next to a call that was allowed without a word is taken")
  void allowedWithoutWords() {
    Journal journal = answeredWithReport();
    said.put("s1", new Approvals.Permission.Allowed(SEND_1, null));
    Bench bench = withReport(journal, Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);
    assertThat(bench.calls()).isZero();
  }
}
