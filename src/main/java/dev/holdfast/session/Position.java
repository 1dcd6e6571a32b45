package dev.holdfast.session;

import dev.holdfast.llm.Message;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEvents;
import dev.holdfast.session.journal.Standing;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportMetadata;
import dev.holdfast.session.report.ReportSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The position of an execution, while it moves on. Not thread-safe. */
final class Position {
  private final SessionEvents events;
  private final int turnsAllowed;
  private int turn = 1;
  private int collapsedTo;
  private boolean collapsedInTurn;
  private int turnsCompleted;
  private int tries;
  private int failedRuns;
  private int reportAttempts;
  private int reportAttemptsBefore;
  private String lastStopReason = "none";
  private Standing.@Nullable Forced forced;
  private Standing.@Nullable Pending pending;

  /**
   * @param maxTurns the last turn, unless it is brought forward
   */
  Position(int maxTurns, SessionEvents events) {
    this.turnsAllowed = maxTurns;
    this.events = events;
  }

  /** Goes on where an earlier process stood. */
  void restore(Standing from) {
    turn = from.turn();
    collapsedTo = from.collapsedTo();
    collapsedInTurn = from.collapsedInTurn();
    turnsCompleted = from.turnsCompleted();
    tries = from.tries();
    failedRuns = from.failedRuns();
    reportAttempts = from.reportAttempts();
    reportAttemptsBefore = reportAttempts;
    lastStopReason = from.lastStopReason();
    pending = from.pending();
    // A person may have allowed the session more turns since.
    forced = from.forced() == Standing.Forced.MAX_TURNS && !isLastTurn() ? null : from.forced();
  }

  /** Returns the position for the journal. */
  Standing standing(List<Message.User> notices) {
    return new Standing(
        turn,
        collapsedTo,
        collapsedInTurn,
        turnsCompleted,
        tries,
        failedRuns,
        reportAttempts,
        lastStopReason,
        forced,
        pending,
        notices);
  }

  void nextTurn(boolean completed) {
    turnsCompleted += completed ? 1 : 0;
    turn++;
    collapsedInTurn = false;
    tries = 0;
    failedRuns = 0;
  }

  /** Counts a try of this run of the turn that brought a useless answer. */
  void answerDiscarded() {
    tries++;
  }

  /** Forgets the errors before a usable answer. */
  void answerAccepted() {
    tries = 0;
    failedRuns = 0;
  }

  /** Ends this run of the turn; another run has all of its tries again. */
  void runFailed(boolean byError) {
    tries = 0;
    failedRuns += byError ? 1 : 0;
  }

  /**
   * Ends the chain of retries after listeners were told so; a later session begins a new one (D20).
   */
  void retriesCancelled() {
    failedRuns = 0;
  }

  /** Counts a report that was not accepted (B45), and brings the final turn nearer. */
  void reportRefused(String reason) {
    reportAttempts++;
    collapse(reason);
  }

  /**
   * Makes the next turn the last one (B46). Never moves it away, and happens at most once per turn
   * (B47).
   */
  void collapse(String reason) {
    int collapsed = turn + 1;
    if (collapsedInTurn || collapsed >= maxTurns()) {
      return;
    }
    int previous = maxTurns();
    collapsedTo = collapsed;
    collapsedInTurn = true;
    events.log(
        SessionEvent.Level.WRN,
        "agent:orchestrator",
        "the last turn is " + collapsed + " instead of " + previous + ": " + reason);
    events.emit(new SessionEvent.Collapsed(reason, turn, previous, collapsed));
  }

  /** Counts a report that is in order (B45). */
  void reportReceived() {
    reportAttempts++;
  }

  /** The documented pendingFinalReport; the newest counts. */
  void keepPending(FinalReport report, ReportSource source) {
    pending = new Standing.Pending(report, source);
  }

  /** Restores the pending report from before an answer whose own report does not count. */
  void restorePending(Standing.@Nullable Pending earlier) {
    pending = earlier;
  }

  void forgetPending() {
    pending = null;
  }

  void force(Standing.Forced reason) {
    forced = reason;
  }

  void stoppedWith(String stopReason) {
    lastStopReason = stopReason;
  }

  /** True at or after the last turn. */
  boolean isLastTurn() {
    return turn >= maxTurns();
  }

  int turn() {
    return turn;
  }

  int maxTurns() {
    return collapsedTo == 0 ? turnsAllowed : Math.min(turnsAllowed, collapsedTo);
  }

  /** The number of tries of this run of the turn that were spent on useless answers. */
  int tries() {
    return tries;
  }

  /** The number of failed runs of this turn, each of which has used up an auto-retry. */
  int failedRuns() {
    return failedRuns;
  }

  /** The number of report attempts in this process alone: earlier ones have reported theirs. */
  int newReportAttempts() {
    return reportAttempts - reportAttemptsBefore;
  }

  Standing.@Nullable Forced forced() {
    return forced;
  }

  Standing.@Nullable Pending pending() {
    return pending;
  }

  /** "none" where no final turn was forced. */
  String forcedName() {
    return forced == null ? "none" : forced.wireName();
  }

  ReportMetadata metadata(String reason, @Nullable String lastError) {
    return new ReportMetadata(reason, turnsCompleted, reportAttempts, lastStopReason, lastError);
  }
}
