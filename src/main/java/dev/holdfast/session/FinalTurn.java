package dev.holdfast.session;

import dev.holdfast.session.context.ContextGuard;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.Standing;
import dev.holdfast.session.report.ReportRules;

/** Finds out at the start of a turn whether it is the last one, and tells the model (B42-B44). */
record FinalTurn(ContextGuard guard, RunState run) {
  static final String CONTEXT_WARNING =
      "Context guard enforced: restricting tools to " + ReportRules.TOOL;
  static final String MAX_TURNS_WARNING =
      "Final turn detected: restricting tools to " + ReportRules.TOOL;

  void enterIfDue() {
    if (run.progress().forced() != null) {
      return;
    }
    if (guard.isOver()) {
      force(Standing.Forced.CONTEXT, CONTEXT_WARNING, NoticeText.CONTEXT);
    } else if (run.progress().isLastTurn()) {
      force(Standing.Forced.MAX_TURNS, MAX_TURNS_WARNING, NoticeText.MAX_TURNS);
    }
  }

  private void force(Standing.Forced reason, String warning, NoticeText notice) {
    run.progress().force(reason);
    run.events().log(SessionEvent.Level.WRN, "agent:turn", warning);
    notice.pushTo(run.notices());
  }
}
