package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Classifier;
import dev.holdfast.failure.Failure;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.ReportMetadata;
import dev.holdfast.session.report.SessionResult;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What people read of a session that has ended without a report. */
class EndWordsTest {
  private static Bench told(CallResult... script) {
    return Bench.with(script).maxTurns(2);
  }

  private static Failure failure(SessionResult.Failed failed) {
    return Classifier.standard().classify(failed.errorReport());
  }

  @Test
  @DisplayName(
      "B53: the error says in one sentence each what happened, what it has cost and what a person"
          + " can do; the code words are fields of the journal's last entry")
  void words() {
    Bench bench = told(Replies.text("no"));

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(failed.errorReport().text())
        .isEqualTo(
            "The agent gave no final report in its last turn: its last answer was text and called"
                + " no tool. The session has cost 6 answers of models, 660 tokens and 0.06 USD by"
                + " the price tables so far. Read the transcript (holdfast show), then release the"
                + " ticket with guidance, or raise limits.max_turns in its design.")
        .isEqualTo(failed.report().content());
    JournalEntry.Ended ended = bench.entries(JournalEntry.Ended.class).getFirst();
    assertThat(ended.how()).isEqualTo("EXIT-MAX-TURNS-NO-RESPONSE");
    assertThat(ended.report()).isEqualTo(failed.report());
    assertThat(ended.metadata())
        .isEqualTo(new ReportMetadata("max_turns", 0, 0, "end", "content_without_tools"));
  }

  @Test
  @DisplayName("B54: sessions that ended for unlike causes share no fingerprint")
  void unlikeCauses() {
    List<SessionResult.Failed> ends =
        List.of(
            told(Replies.text("no")).runToFailure(),
            told(Replies.calls(Replies.call("a", "look", "no object"))).runToFailure(),
            told(Replies.empty()).runToFailure(),
            told(stopped(StopReason.REFUSED)).runToFailure(),
            told(stopped(StopReason.MAX_TOKENS)).runToFailure(),
            told(Replies.overloaded()).runToFailure(),
            told(Replies.failed(FailureKind.AUTH_ERROR, false, "key revoked")).runToFailure(),
            told(Replies.failed(FailureKind.CONTEXT_OVERFLOW, false, "too long")).runToFailure());

    assertThat(ends.stream().map(each -> failure(each).fingerprint())).doesNotHaveDuplicates();
    assertThat(ends)
        .extracting(each -> each.errorReport().text())
        .allSatisfy(
            words ->
                assertThat(words)
                    .contains(" USD by the price tables so far. ", "elease the ticket")
                    .doesNotContain("content_without_tools", "invalid_tool_call", "EXIT-"));
  }

  @Test
  @DisplayName("B9, B53: a report that is never accepted ends with the words that say why")
  void refusedReport() {
    Bench bench = told(Replies.report("{\"status\":\"success\"}"));

    SessionResult.Failed failed = bench.runToFailure();

    String why =
        "its last final report was not accepted: \"content\" must be a text that is not blank";
    assertThat(failed.errorReport().text())
        .startsWith("The agent gave no final report in its last turn: " + why + ". The session");
    assertThat(bench.entries(JournalEntry.Discarded.class).getLast().why()).isEqualTo(why);
    assertThat(bench.events(SessionEvent.AttemptFinished.class).getLast().status())
        .isEqualTo("invalid_report");
    assertThat(told(Replies.report("{")).runToFailure().errorReport().text())
        .contains("not accepted: its parameters are not a JSON object. The session");
  }

  private static CallResult stopped(StopReason why) {
    return Replies.answer(new Message.Assistant("no", List.of()), why);
  }

  @Test
  @DisplayName("B54: neither costs nor numbers of calls and turns split a group of equal causes")
  void likeCauses() {
    SessionResult.Failed cheap = told(Replies.text("no")).maxRetries(1).runToFailure();
    SessionResult.Failed dear =
        Bench.with(Replies.look("a"), Replies.look("b"), Replies.text("something else"))
            .maxTurns(12)
            .runToFailure();

    assertThat(cheap.errorReport().text()).isNotEqualTo(dear.errorReport().text());
    assertThat(failure(cheap).fingerprint()).isEqualTo(failure(dear).fingerprint());
  }

  @Test
  @DisplayName("B53: where the provider refuses the request as it is, nobody is to wait for it")
  void refused() {
    SessionResult.Failed failed =
        told(Replies.failed(FailureKind.MODEL_ERROR, false, "there is no model gtp-5"))
            .runToFailure();

    assertThat(failed.errorReport().text())
        .doesNotContain("answers again")
        .endsWith(
            "The provider refuses the request as it is: put its design right, above all its"
                + " targets (holdfast design put), let the ticket use that (holdfast design use),"
                + " then release the ticket.");
  }

  @Test
  @DisplayName("A54: a long error of a provider is cut in the sentence and whole behind it")
  void longError() {
    String said = "the model is broken ".repeat(40) + "at the very end";
    SessionResult.Failed failed =
        told(Replies.status(FailureKind.MODEL_ERROR, 500, said)).runToFailure();

    assertThat(failed.errorReport().text().lines().findFirst().orElseThrow())
        .contains("…. The session has cost 0 answers");
    assertThat(failed.errorReport().text()).contains("at the very end");
  }
}
