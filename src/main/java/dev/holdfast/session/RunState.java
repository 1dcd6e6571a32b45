package dev.holdfast.session;

import dev.holdfast.llm.BrokenOffException;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.event.SessionEvents;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.Standing;
import dev.holdfast.session.retry.AutoRetry;
import dev.holdfast.session.retry.Route;
import java.math.BigDecimal;
import java.util.List;

/** The state that the parts of one execution share. Confined to the session's thread. */
record RunState(Memory memory, Position progress, Notices notices, SessionEvents events) {
  /** Goes on where the journal ends. */
  void restore() {
    memory.restore();
    Standing standing = memory.standing();
    progress.restore(standing);
    boolean isLastNoMore = standing.forced() != null && progress.forced() == null;
    notices.restore(
        standing.notices().stream()
            .filter(each -> !isLastNoMore || !NoticeText.isOfFinalTurn(each))
            .toList());
  }

  /**
   * Records entries that may hold a person's words. A report from before these words does not count
   * any more.
   */
  void record(List<JournalEntry> entries) {
    memory.record(entries);
    if (entries.stream()
        .anyMatch(e -> e instanceof JournalEntry.Said(var said) && said.byPerson())) {
      progress.forgetPending();
    }
  }

  /** Records a call without an answer: it may have been paid for all the same, so it counts. */
  void keepPaid(int attempt, Route route, String why, Usage usage) {
    if (!usage.equals(Usage.NONE)) {
      discard(attempt, route, why, usage, true);
    }
  }

  /**
   * Records a call that was broken off; it counts likewise, although the attempt may be over by
   * now.
   */
  void keepBrokenOff(int attempt, Route route, String why, InterruptedException e) {
    if (e instanceof BrokenOffException brokenOff) {
      memory.recordLate(discarded(attempt, route, why, brokenOff.usage(), true));
    }
  }

  void discard(int attempt, Route route, String why, Usage usage, boolean unanswered) {
    memory.record(discarded(attempt, route, why, usage, unanswered));
  }

  private JournalEntry.Discarded discarded(
      int attempt, Route route, String why, Usage usage, boolean unanswered) {
    Target target = route.target();
    BigDecimal cost = route.provider().cost(target.model(), usage).orElse(null);
    return new JournalEntry.Discarded(
        progress.turn(), attempt, target, why, usage, cost, standing(), unanswered);
  }

  /**
   * Records that a cancelled chain of retries is over, although the session may go on. A person who
   * holds a ticket and releases it gets all of its retries again (D20).
   */
  void keepCancelled() {
    JournalEntry.TurnFailed last = memory.lastFailed();
    if (last != null && progress.failedRuns() > 0) {
      progress.retriesCancelled();
      memory.recordLate(
          new JournalEntry.TurnFailed(
              last.turn(), last.target(), last.type(), AutoRetry.CANCELLED, standing()));
    }
  }

  /** Returns the position for the journal. */
  Standing standing() {
    return progress.standing(notices.pending());
  }
}
