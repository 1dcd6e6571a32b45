package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.session.context.ContextSettings;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.report.Exhausted;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportRules;
import dev.holdfast.session.report.ReportSource;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.report.SessionResult;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** B-6: final turns, collapse, cached and synthetic reports. */
class FinalTurnTest {
  private static final String HALF = "{\"status\":\"success\"}";
  private static final CallResult MISPLACED = Replies.misplacedReport();

  private static Bench narrow(Bench bench, long window) {
    bench.settings = bench.settings.withContext(new ContextSettings(window, 0.5, 0.5, false));
    return bench;
  }

  private static void assertOnlyReportOffered(Bench bench, int request) {
    assertThat(bench.provider().requests.get(request).tools())
        .extracting(ToolSpec::name)
        .containsExactly(ReportRules.TOOL);
  }

  @Test
  @DisplayName("B42, B44, B73: over the context budget only the report is allowed")
  void context() {
    Bench bench = narrow(Bench.with(Replies.text("no"), Replies.report()), 10);

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.notices(0))
        .singleElement()
        .asString()
        .startsWith("System notice: The conversation is at the context window limit");
    assertOnlyReportOffered(bench, 0);
    assertOnlyReportOffered(bench, 1);
    assertThat(bench.notices(1).getLast())
        .isEqualTo(
            "System notice: plain text responses are ignored. Call agent__final_report now.");
    assertThat(bench.log())
        .anyMatch(
            line -> line.startsWith("WRN agent:turn Context guard enforced: restricting tools"));
    assertThat(bench.events(SessionEvent.ReportAccepted.class).getFirst().forcedFinalReason())
        .isEqualTo("context");
  }

  @Test
  @DisplayName("B43, B73: in the last turn only the report is allowed")
  void maxTurns() {
    Bench bench = Bench.with(Replies.look("a"), Replies.look("b"), Replies.report()).maxTurns(2);

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.provider().requests.getFirst().tools()).hasSize(3);
    assertOnlyReportOffered(bench, 1);
    assertThat(bench.notices(1))
        .singleElement()
        .asString()
        .startsWith("System notice: Maximum number of turns/steps reached");
    assertThat(bench.log())
        .anyMatch(line -> line.startsWith("WRN agent:turn Final turn detected: restricting tools"));
    assertThat(bench.tools.ran).as("other calls of a final turn").hasSize(1);
    assertThat(bench.notices(2)).hasSize(2);
  }

  @Test
  @DisplayName("B45: a malformed and a legitimate report are two attempts to report")
  void attemptsCounted() {
    Bench bench = Bench.with(Replies.report("{\"status\":"), Replies.report());

    bench.run();

    assertThat(bench.events(SessionEvent.Finished.class).getFirst().finalReportAttempts())
        .isEqualTo(2);
  }

  @Test
  @DisplayName("B46, B48: a refused report makes the next turn the last one")
  void collapse() {
    Bench bench =
        Bench.with(Replies.look("a"), Replies.report(HALF), Replies.look("b"), Replies.report())
            .maxTurns(10);

    bench.run();

    assertThat(bench.events(SessionEvent.Collapsed.class))
        .containsExactly(new SessionEvent.Collapsed("incomplete_final_report", 2, 10, 3));
    assertThat(bench.events(SessionEvent.Logged.class))
        .contains(
            new SessionEvent.Logged(
                SessionEvent.Level.WRN,
                "agent:orchestrator",
                "the last turn is 3 instead of 10: incomplete_final_report"));
    assertOnlyReportOffered(bench, 3);
  }

  @Test
  @DisplayName("B67: a malformed report collapses with the reason final_report_attempt")
  void collapseReason() {
    Bench bench = Bench.with(Replies.report("{"), Replies.report()).maxTurns(10);

    bench.run();

    assertThat(bench.events(SessionEvent.Collapsed.class))
        .extracting(SessionEvent.Collapsed::reason)
        .containsExactly("final_report_attempt");
  }

  @Test
  @DisplayName("B47: the last turn never moves away, and at most once per turn")
  void collapseOnlyShrinks() {
    Bench twice =
        Bench.with(Replies.report(HALF), Replies.report("{"), Replies.report()).maxTurns(10);
    twice.run();
    Bench late = Bench.with(Replies.look("a"), Replies.report(HALF), Replies.report()).maxTurns(3);
    late.run();
    Bench accepted = Bench.with(Replies.report()).maxTurns(10);
    accepted.run();

    assertThat(twice.events(SessionEvent.Collapsed.class)).hasSize(1);
    assertThat(late.events(SessionEvent.Collapsed.class)).isEmpty();
    assertThat(accepted.events(SessionEvent.Collapsed.class)).isEmpty();
  }

  @Test
  @DisplayName("B49: a report written as text is no call: the turn is tried again")
  void textIsNoCall() {
    Bench bench = Bench.with(Replies.text(Replies.REPORT), Replies.report()).maxTurns(3);

    assertThat(bench.run())
        .isInstanceOfSatisfying(
            SessionResult.Reported.class,
            each -> assertThat(each.source()).isEqualTo(ReportSource.TOOL_CALL));

    assertThat(bench.calls()).isEqualTo(2);
    assertThat(bench.sent(1)).hasSize(1);
  }

  @Test
  @DisplayName("B50, B51: a cached report is taken only when the final turn's attempts are used up")
  void cacheTaken() {
    Bench bench = Bench.with(Replies.text("```json\n" + Replies.REPORT + "\n```")).maxTurns(2);

    assertThat(bench.run())
        .isInstanceOfSatisfying(
            SessionResult.Reported.class,
            each -> {
              assertThat(each.source()).isEqualTo(ReportSource.TEXT_EXTRACTION);
              assertThat(each.report().content()).isEqualTo("all done");
            });

    assertThat(bench.calls()).isEqualTo(6);
    assertThat(bench.log())
        .contains("WRN agent:fallback-report accepted the report from text-extraction");
  }

  @Test
  @DisplayName("B49, B52: a report given to a tool that does not exist is cached, not carried out")
  void toolMessage() {
    Bench bench = Bench.with(MISPLACED, Replies.empty()).maxTurns(2).maxRetries(1);

    assertAdopted(bench.run());

    assertThat(bench.calls()).isEqualTo(2);
    assertThat(bench.tools.ran).isEmpty();
    assertThat(bench.notices(1)).anyMatch(each -> each.contains("counts only as a call"));
  }

  @Test
  @DisplayName(
      "B49, B50: a report given to a tool that does not exist in the last turn is not thrown away:"
          + " it is the result once the attempts of that turn are used up")
  void toolMessageInLastTurn() {
    Bench bench =
        Bench.with(Replies.text("a"), Replies.text("b"), Replies.text("c"), MISPLACED).maxTurns(2);

    assertAdopted(bench.run());

    assertThat(bench.calls()).isEqualTo(6);
    assertThat(bench.tools.ran).isEmpty();
  }

  @Test
  @DisplayName("B23, B49: no report is cached that stands next to a call that was dropped")
  void toolMessageNextToDropped() {
    Bench bench =
        Bench.with(
                Replies.calls(
                    Replies.call("s", "send", "{\"a\":"),
                    Replies.call("a", "final_report", Replies.REPORT)),
                Replies.empty())
            .maxTurns(2)
            .maxRetries(1);

    assertThat(bench.runToFailure().exit()).isEqualTo(SessionExitCode.MAX_TURNS);

    assertThat(bench.tools.ran).isEmpty();
  }

  @Test
  @DisplayName("B49, B50: so it is in the final turn that the context guard forces")
  void toolMessageAtTheWindow() {
    Bench bench = narrow(Bench.with(MISPLACED), 10);

    assertAdopted(bench.run());

    assertThat(bench.calls()).isEqualTo(3);
  }

  @Test
  @DisplayName(
      "B49, B50: a cached report of a final turn outlives an error that allows no further attempt")
  void cacheOutlivesFatal() {
    Bench refused =
        Bench.with(MISPLACED, Replies.failed(FailureKind.AUTH_ERROR, false, "key revoked"))
            .maxTurns(1);
    Bench overflow =
        Bench.with(MISPLACED, Replies.failed(FailureKind.CONTEXT_OVERFLOW, false, "too long"))
            .maxTurns(1);
    Bench calls = Bench.with(MISPLACED).maxTurns(1);
    calls.maxCalls = 2;

    assertAdopted(refused.run());
    assertAdopted(overflow.run());
    assertAdopted(calls.run());
  }

  @Test
  @DisplayName("B50: outside a final turn a cached report is no result")
  void cacheIsNoResultBefore() {
    Bench bench =
        Bench.with(MISPLACED, Replies.failed(FailureKind.AUTH_ERROR, false, "key revoked"))
            .maxTurns(3);

    assertThat(bench.runToFailure().exit()).isEqualTo(SessionExitCode.AUTH_FAILURE);
  }

  private static void assertAdopted(SessionResult result) {
    assertThat(result)
        .isInstanceOfSatisfying(
            SessionResult.Reported.class,
            each -> {
              assertThat(each.source()).isEqualTo(ReportSource.TOOL_MESSAGE);
              assertThat(each.report().content()).isEqualTo("all done");
            });
  }

  @Test
  @DisplayName("B52: the four sources can be told apart")
  void sources() {
    assertThat(ReportSource.values())
        .extracting(ReportSource::wireName)
        .containsExactly("tool-call", "text-extraction", "tool-message", "synthetic");
  }

  @Test
  @DisplayName("B53, B54, B57: without any report there is a synthetic one of status failure")
  void synthetic() {
    Bench bench = Bench.with(Replies.look("a"), Replies.text("no")).maxTurns(2);

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(failed.exit()).isEqualTo(SessionExitCode.MAX_TURNS);
    assertThat(failed.category()).isEqualTo(Category.CODE_ERROR);
    assertThat(failed.report().status()).isEqualTo(FinalReport.Status.FAILURE);
    assertThat(failed.report().content()).isNotBlank();
    assertThat(failed.metadata().toJson().toString())
        .isEqualTo(
            "{\"reason\":\"max_turns\",\"turns_completed\":1,\"final_report_attempts\":0,"
                + "\"last_stop_reason\":\"end\",\"last_error\":\"content_without_tools\"}");
    assertThat(bench.log())
        .anyMatch(line -> line.startsWith("WRN agent:failure-report {\"reason\":\"max_turns\""))
        .contains("FIN agent:final-report-accepted source=synthetic status=failure turn=2");
  }

  @Test
  @DisplayName("B53: so it is when the context guard ends the session")
  void syntheticContext() {
    SessionResult.Failed failed = narrow(Bench.with(Replies.text("no")), 10).runToFailure();

    assertThat(failed.exit()).isEqualTo(SessionExitCode.TOKEN_LIMIT);
    assertThat(failed.metadata().reason()).isEqualTo("context");
  }

  @Test
  @DisplayName("B55: a final turn that only fails says with what")
  void finalTurnFails() {
    SessionResult.Failed failed = Bench.with(Replies.overloaded()).maxTurns(1).runToFailure();

    assertThat(failed.metadata().reason()).isEqualTo("max_turns");
    assertThat(failed.metadata().lastError()).contains("503").contains("Service Unavailable");
    assertThat(failed.category()).isEqualTo(Category.TRANSIENT);
    assertThat(failed.errorReport().httpStatus()).isEqualTo(503);
  }

  @Test
  @DisplayName("B56: a turn of invalid answers is left for the next one")
  void advances() {
    Bench bench =
        Bench.with(Replies.text("a"), Replies.text("b"), Replies.text("c"), Replies.report())
            .maxTurns(5);

    assertThat(bench.run())
        .isInstanceOfSatisfying(
            SessionResult.Reported.class, each -> assertThat(each.turn()).isEqualTo(2));
    assertThat(bench.log())
        .contains(
            "WRN agent:turn Turn 1 exhausted 3 attempts with invalid responses; advancing to the"
                + " next turn");
  }

  @Test
  @DisplayName("B56: a turn whose last attempt failed otherwise ends the session")
  void endsAtOnce() {
    Bench network = Bench.with(Replies.text("a"), Replies.network()).maxTurns(5);
    SessionResult.Failed failed = network.runToFailure();
    SessionResult.Failed timeout =
        Bench.with(Replies.failed(FailureKind.TIMEOUT, true, "slow")).runToFailure();

    assertThat(network.calls()).isEqualTo(3);
    assertThat(failed.exit().wireName()).isEqualTo("EXIT-NO-LLM-RESPONSE");
    assertThat(failed.metadata().reason()).isEqualTo("llm_error");
    assertThat(failed.report().status()).isEqualTo(FinalReport.Status.FAILURE);
    assertThat(failed.category()).isEqualTo(Category.TRANSIENT);
    assertThat(failed.exhaustedBy()).isEqualTo(new Exhausted("turn", 3));
    assertThat(timeout.exit().wireName()).isEqualTo("EXIT-INACTIVITY-TIMEOUT");
  }

  @Test
  @DisplayName("B9: data is checked against the design's report schema")
  void reportSchema() throws Exception {
    Bench bench =
        Bench.with(
            Replies.report("{\"status\":\"success\",\"content\":\"ok\"}"),
            Replies.report("{\"status\":\"success\",\"data\":{\"n\":\"1\"}}"),
            Replies.report("{\"status\":\"success\",\"data\":{\"n\":1}}"));
    bench.settings =
        bench.settings.withReportSchema(
            JsonMapper.shared()
                .readTree(
                    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},"
                        + "\"required\":[\"n\"]}"));

    assertThat(bench.run())
        .isInstanceOfSatisfying(
            SessionResult.Reported.class,
            each ->
                assertThat(each.report().toJson().toString())
                    .isEqualTo("{\"status\":\"success\",\"data\":{\"n\":1}}"));
    assertThat(bench.notices(1)).singleElement().asString().contains("\"data\" is missing");
    assertThat(bench.notices(2)).hasSize(2).last().asString().contains("n must be of type integer");
  }

  @Test
  @DisplayName("B7: a report next to calls that fail is not taken before the model has seen them")
  void reportNextToFailure() {
    Bench bench =
        Bench.with(
            Replies.calls(
                Replies.call("r", ReportRules.TOOL, Replies.REPORT),
                Replies.call("a", "send", "{}")),
            Replies.report());
    bench.tools.reaction =
        call ->
            new dev.holdfast.tool.ToolReply(
                call, dev.holdfast.tool.ToolReply.Outcome.FAILED, "it broke", 3);

    assertThat(bench.run())
        .isInstanceOfSatisfying(
            SessionResult.Reported.class, each -> assertThat(each.turn()).isEqualTo(2));
    assertThat(bench.sent(1).toString()).contains("it broke").contains("was not taken");
    WellFormed.check(bench.provider().requests.get(1).messages());
  }
}
