package dev.holdfast.session;

import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Standstill;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.Standing;
import dev.holdfast.session.report.Exhausted;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportMetadata;
import dev.holdfast.session.report.ReportSource;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.AutoRetry;
import dev.holdfast.session.retry.FailureCategory;
import dev.holdfast.session.retry.StopSignal;
import dev.holdfast.session.retry.TurnEnd;
import dev.holdfast.session.retry.TurnError;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Moves on to the next turn, or ends the execution with its result (B50-B57). */
record AfterTurn(StopSignal signal, AutoRetry autoRetry, Budget budget, RunState run) {
  /** Returns the result that the end of a turn leads to; empty where the session goes on. */
  Optional<SessionResult> after(TurnEnd end) {
    return switch (end) {
      case TurnEnd.Reported each -> Optional.of(accept(each.report(), ReportSource.TOOL_CALL));
      case TurnEnd.UnknownEffect each -> Optional.of(unknown(each));
      case TurnEnd.AwaitsApproval each ->
          Optional.of(new SessionResult.AwaitsApproval(each.calls()));
      case TurnEnd.Fatal each ->
          Optional.of(pendingOr(() -> failed(each.exit(), each.error(), reason(each), null)));
      case TurnEnd.Aborted each -> Optional.of(stopped());
      case TurnEnd.StoodStill each -> Optional.of(stoodStill(each));
      case TurnEnd.Continue each -> goOn(true);
      case TurnEnd.Invalid each -> invalid(each);
      case TurnEnd.Errored each -> Optional.of(errored(each));
      case TurnEnd.Overflow each ->
          Optional.of(
              pendingOr(
                  () ->
                      failed(
                          SessionExitCode.TOKEN_LIMIT,
                          each.error(),
                          Standing.Forced.CONTEXT.wireName(),
                          null)));
    };
  }

  /** Returns the end that somebody has asked for. */
  SessionResult stopped() {
    return signal.requested() == StopSignal.Request.STOP
        ? new SessionResult.Stopped()
        : new SessionResult.Cancelled();
  }

  /** Returns a result that does not end the session: a later one goes on from here. */
  private SessionResult stoodStill(TurnEnd.StoodStill end) {
    TurnError error = end.error();
    if (error == null) {
      return new SessionResult.StoodStill(end.why(), null, null);
    }
    SessionExitCode exit =
        end.why().kind() == Standstill.Kind.ACCOUNT ? error.refusedAccount() : null;
    String words =
        exit == null
            ? error.message()
            : EndWords.of(exit, error, run.memory().spent(), run.progress().forced())
                + "\nExit code: "
                + exit.wireName();
    return new SessionResult.StoodStill(end.why(), words, error.failure());
  }

  private Optional<SessionResult> goOn(boolean completed) {
    run.progress().nextTurn(completed);
    return Optional.empty();
  }

  private Optional<SessionResult> invalid(TurnEnd.Invalid end) {
    Standing.Forced forced = run.progress().forced();
    if (forced != null) {
      SessionExitCode exit =
          forced == Standing.Forced.CONTEXT
              ? SessionExitCode.TOKEN_LIMIT
              : SessionExitCode.MAX_TURNS;
      return Optional.of(pendingOr(() -> failed(exit, end.error(), forced.wireName(), null)));
    }
    run.events()
        .log(
            SessionEvent.Level.WRN,
            "agent:turn",
            "Turn %s exhausted %s attempts with invalid responses; advancing to the next turn"
                .formatted(run.progress().turn(), end.attempts()));
    return goOn(false);
  }

  private SessionResult errored(TurnEnd.Errored end) {
    Exhausted bySession = autoRetry.exhausted();
    if (signal.requested() != StopSignal.Request.NONE && bySession == null) {
      return stopped();
    }
    SessionExitCode exit =
        end.error().type().equals(FailureKind.TIMEOUT.wireName())
            ? SessionExitCode.INACTIVITY_TIMEOUT
            : SessionExitCode.NO_LLM_RESPONSE;
    Exhausted by = bySession == null ? new Exhausted("turn", end.attempts()) : bySession;
    String reason = run.progress().forced() == null ? "llm_error" : run.progress().forcedName();
    return pendingOr(() -> failed(exit, end.error(), reason, by));
  }

  /**
   * Accepts a cached report, but only where nothing more is tried in a forced final turn (B50,
   * B51). Its attempts are used up, or an account, a budget or the window allows none.
   */
  private SessionResult pendingOr(Supplier<SessionResult> failure) {
    Standing.Pending pending = run.progress().pending();
    if (pending == null || run.progress().forced() == null) {
      return failure.get();
    }
    run.events()
        .log(
            SessionEvent.Level.WRN,
            "agent:fallback-report",
            "accepted the report from " + pending.source().wireName());
    return accept(pending.report(), pending.source());
  }

  private SessionResult accept(FinalReport report, ReportSource source) {
    int turn = run.progress().turn();
    accepted(report, source, Memory.REPORTED, run.progress().forcedName(), null);
    return new SessionResult.Reported(report, source, turn);
  }

  private static String reason(TurnEnd.Fatal end) {
    return switch (end.exit()) {
      case BUDGET_EXCEEDED -> "budget_exceeded";
      case COST_LIMIT -> Budget.COST_LIMIT;
      default -> end.error().type();
    };
  }

  private SessionResult failed(
      SessionExitCode exit, TurnError error, String reason, @Nullable Exhausted by) {
    ReportMetadata metadata = run.progress().metadata(reason, error.message());
    String words = EndWords.of(exit, error, run.memory().spent(), run.progress().forced());
    FinalReport report = FinalReport.failure(words);
    run.events()
        .log(
            exit == SessionExitCode.MAX_TURNS ? SessionEvent.Level.WRN : SessionEvent.Level.ERR,
            "agent:failure-report",
            metadata.toJson().toString());
    accepted(report, ReportSource.SYNTHETIC, exit.wireName(), reason, metadata);
    return new SessionResult.Failed(
        exit,
        error.message(),
        FailureCategory.of(exit, error),
        report,
        metadata,
        by,
        exit == SessionExitCode.COST_LIMIT ? budget.usedUp() : null,
        error.failure(),
        error.cause());
  }

  private void accepted(
      FinalReport report,
      ReportSource source,
      String how,
      String reason,
      @Nullable ReportMetadata metadata) {
    int turn = run.progress().turn();
    run.memory().record(new JournalEntry.Ended(turn, how, report, source, metadata));
    String words =
        "source=" + source.wireName() + " status=" + report.status().wireName() + " turn=" + turn;
    run.events().log(SessionEvent.Level.FIN, "agent:final-report-accepted", words);
    run.events().emit(new SessionEvent.ReportAccepted(report, source, reason, turn));
  }

  private SessionResult unknown(TurnEnd.UnknownEffect end) {
    int turn = run.progress().turn();
    run.memory().record(new JournalEntry.Ended(turn, Memory.UNKNOWN_EFFECT, null, null, null));
    return new SessionResult.UnknownEffect(end.replies());
  }
}
