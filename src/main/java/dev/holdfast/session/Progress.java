package dev.holdfast.session;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Where an execution stands. Not thread-safe. */
final class Progress {
  /** Why only the final report is allowed now. */
  enum Forced {
    MAX_TURNS,
    CONTEXT;

    String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A report that did not come through the tool (B49). */
  record Pending(FinalReport report, ReportSource source) {}

  private final SessionEvents events;
  private int turn = 1;
  private int maxTurns;
  private int turnsCompleted;
  private int finalReportAttempts;
  private boolean collapsedInTurn;
  private String lastStopReason = "none";
  private @Nullable Forced forced;
  private @Nullable Pending pending;

  Progress(int maxTurns, SessionEvents events) {
    this.maxTurns = maxTurns;
    this.events = events;
  }

  /** A resumed execution stands at the turn of its last answer. */
  void resumeAt(int lastTurn) {
    turn = lastTurn;
    turnsCompleted = lastTurn - 1;
  }

  void nextTurn(boolean completed) {
    turnsCompleted += completed ? 1 : 0;
    turn++;
    collapsedInTurn = false;
  }

  /**
   * The model has tried to report (B45); what is not accepted brings the final turn nearer (B46).
   * Never moves it away, and happens at most once per turn (B47).
   */
  void reportRefused(String reason) {
    finalReportAttempts++;
    int collapsed = turn + 1;
    if (collapsedInTurn || collapsed >= maxTurns) {
      return;
    }
    int previous = maxTurns;
    maxTurns = collapsed;
    collapsedInTurn = true;
    events.log(
        SessionEvent.Level.VRB,
        "agent:orchestrator",
        "the last turn is " + maxTurns + " instead of " + previous + ": " + reason);
    events.emit(new SessionEvent.Collapsed(reason, turn, previous, maxTurns));
  }

  /** A report in order (B45). */
  void reportReceived() {
    finalReportAttempts++;
  }

  /** The documented pendingFinalReport; the newest counts. */
  void keepPending(FinalReport report, ReportSource source) {
    pending = new Pending(report, source);
  }

  void force(Forced reason) {
    forced = reason;
  }

  void stoppedWith(String stopReason) {
    lastStopReason = stopReason;
  }

  /** At or behind the last turn. */
  boolean isLastTurn() {
    return turn >= maxTurns;
  }

  int turn() {
    return turn;
  }

  int maxTurns() {
    return maxTurns;
  }

  int finalReportAttempts() {
    return finalReportAttempts;
  }

  @Nullable Forced forced() {
    return forced;
  }

  @Nullable Pending pending() {
    return pending;
  }

  /** "none" where no final turn was forced. */
  String forcedName() {
    return forced == null ? "none" : forced.wireName();
  }

  ReportMetadata metadata(String reason, @Nullable String lastError) {
    return new ReportMetadata(
        reason, turnsCompleted, finalReportAttempts, lastStopReason, lastError);
  }
}
