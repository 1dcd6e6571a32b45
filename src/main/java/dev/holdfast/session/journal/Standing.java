package dev.holdfast.session.journal;

import dev.holdfast.llm.Message;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportSource;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The state of a session's execution between two steps, beside the conversation itself. It is kept
 * with the entries of the journal, so that a deferral, a crash or a drain changes none of it.
 *
 * @param turn from 1
 * @param collapsedTo the last turn, where a refused report has brought it forward (B46); 0 where
 *     none has
 * @param collapsedInTurn whether this turn has brought it forward already (B47)
 * @param turnsCompleted turns whose answer was of use
 * @param tries of this run of the turn that were spent on answers of no use
 * @param failedRuns runs of this turn that ended in an error, each of which uses up an auto-retry
 * @param reportAttempts how often the model has tried to report (B45)
 * @param lastStopReason of the last answer, "none" where there was none
 * @param forced why only the report is allowed now; null where it is not so
 * @param pending a report that did not come through the tool (B49); null where there is none
 * @param notices the notices that the model gets before its next answer (B58-B63)
 */
public record Standing(
    int turn,
    int collapsedTo,
    boolean collapsedInTurn,
    int turnsCompleted,
    int tries,
    int failedRuns,
    int reportAttempts,
    String lastStopReason,
    @Nullable Forced forced,
    @Nullable Pending pending,
    List<Message.User> notices) {
  /** The standing at the beginning. */
  public static final Standing START = behind(0);

  /** Why only the final report is allowed now. */
  public enum Forced {
    MAX_TURNS,
    CONTEXT;

    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A report that did not come through the tool. */
  public record Pending(FinalReport report, ReportSource source) {}

  public Standing {
    notices = List.copyOf(notices);
  }

  /** Returns the standing at the turn after {@code turns} turns, with nothing spent in it. */
  public static Standing behind(int turns) {
    return new Standing(turns + 1, 0, false, turns, 0, 0, 0, "none", null, null, List.of());
  }

  /**
   * Returns the standing after a person has spoken: a report from before that does not count any
   * more.
   */
  public Standing withoutPending() {
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
        null,
        notices);
  }

  /** Returns the standing at the next turn. */
  public Standing next() {
    return new Standing(
        turn + 1,
        collapsedTo,
        false,
        turnsCompleted + 1,
        0,
        0,
        reportAttempts,
        lastStopReason,
        forced,
        pending,
        notices);
  }
}
