package dev.holdfast.session;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.session.approval.Approvals;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportRules;
import dev.holdfast.session.report.TextReport;
import dev.holdfast.session.retry.StopSignal;
import dev.holdfast.session.retry.TurnEnd;
import dev.holdfast.tool.ToolBox;
import dev.holdfast.tool.ToolReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Does what the last answer asks for, and writes every result down before the next step. */
record AnswerActions(
    ToolBox toolBox, Approvals approvals, ReportRules rules, StopSignal signal, RunState run) {
  private static final String UNKNOWN =
      "It is unknown whether this call took effect: its run was cut off. A person has been asked."
          + " Look at what there is before you call it again.";
  private static final String NOT_RUN =
      "This call was not run: an earlier call of the same answer was cut off, and it is unknown"
          + " whether that took effect. A person has been asked. Call it again if it is still due.";
  private static final String NOT_RUN_SINCE =
      "This call was not run: a person has spoken since you made it. Read what they say first, then"
          + " call it again if it is still due.";
  private static final String NO_RESULT_SINCE =
      "This call has no result: a person has spoken since you made it. It was not run, or was cut"
          + " off. Read what they say first, then call it again if it is still due.";
  private static final String LEFT_SINCE =
      "The report was not taken: a person has spoken since. Read what they say first.";
  private static final String LEFT =
      "The report was not taken: other calls of the same answer failed. Look at their results"
          + " first.";

  /**
   * Carries out the calls that have no result yet, the report last. None of them runs before a
   * person has decided on all that a person has to allow: they may build on each other.
   *
   * @param resumed whether an earlier process may have begun them: then none runs that it has begun
   *     and that may not run twice
   */
  TurnEnd act(boolean resumed) throws InterruptedException {
    if (signal.requested() != StopSignal.Request.NONE) {
      return new TurnEnd.Aborted();
    }
    List<ToolCall> calls = new ArrayList<>(run.memory().openCalls());
    Optional<ToolCall> report = reportIn(calls);
    report.ifPresent(calls::remove);
    int answer = run.memory().answers();
    Admission admission =
        Admission.of(
            answer,
            calls.isEmpty()
                ? List.of()
                : approvals.permissions(answer, run.progress().turn(), calls));
    if (!admission.waiting().isEmpty()) {
      return new TurnEnd.AwaitsApproval(admission.waiting());
    }
    List<ToolReply> replies = new ArrayList<>(admission.denied());
    keep(admission.denied(), admission);
    replies.addAll(
        resumed && calls.stream().anyMatch(this::isUnclear)
            ? unclear(admission)
            : execute(admission.allowed(), admission));
    List<ToolReply> unclear = unclearIn(replies);
    if (!unclear.isEmpty()) {
      return new TurnEnd.UnknownEffect(unclear);
    }
    return report.map(this::reported).orElseGet(TurnEnd.Continue::new);
  }

  /**
   * Runs nothing more of the last answer, and says so to the model, with what people have decided
   * and said of its calls. Calls that an earlier process may have begun and that may not run twice
   * are unclear all the same.
   */
  TurnEnd leave() throws InterruptedException {
    List<ToolCall> calls = new ArrayList<>(run.memory().openCalls());
    Optional<ToolCall> report = reportIn(calls);
    report.ifPresent(calls::remove);
    int answer = run.memory().answers();
    Admission admission =
        Admission.of(answer, approvals.decided(answer, run.progress().turn(), calls));
    List<ToolReply> replies = new ArrayList<>(admission.denied());
    replies.forEach(denied -> calls.remove(denied.call()));
    report.ifPresent(calls::add);
    calls.forEach(call -> replies.add(left(call)));
    keep(replies, admission);
    List<ToolReply> unclear = unclearIn(replies);
    return unclear.isEmpty() ? new TurnEnd.Continue() : new TurnEnd.UnknownEffect(unclear);
  }

  private ToolReply left(ToolCall call) {
    if (call.name().equals(ReportRules.TOOL)) {
      return notRun(call, LEFT_SINCE);
    }
    if (isUnclear(call)) {
      return new ToolReply(call, ToolReply.Outcome.UNKNOWN_EFFECT, UNKNOWN, 0);
    }
    // The journal keeps no start of a call that may run twice.
    return notRun(call, toolBox.isIdempotent(call.name()) ? NO_RESULT_SINCE : NOT_RUN_SINCE);
  }

  private static ToolReply notRun(ToolCall call, String why) {
    return new ToolReply(call, ToolReply.Outcome.MODEL_RETRY, why, 0);
  }

  private static Optional<ToolCall> reportIn(List<ToolCall> calls) {
    return calls.stream().filter(call -> call.name().equals(ReportRules.TOOL)).findFirst();
  }

  private boolean isUnclear(ToolCall call) {
    return !toolBox.isIdempotent(call.name()) && run.memory().mayHaveStarted(call);
  }

  /**
   * Answers the calls that an earlier process began: nobody knows how they ended. Its other calls
   * that change something are left alone: they may build on what is unclear. The rest may run.
   */
  private List<ToolReply> unclear(Admission admission) throws InterruptedException {
    List<ToolReply> replies = new ArrayList<>();
    for (ToolCall call : admission.allowed()) {
      if (isUnclear(call)) {
        replies.add(new ToolReply(call, ToolReply.Outcome.UNKNOWN_EFFECT, UNKNOWN, 0));
      } else if (!toolBox.isIdempotent(call.name())) {
        replies.add(notRun(call, NOT_RUN));
      }
    }
    keep(replies, admission);
    replies.addAll(
        execute(
            admission.allowed().stream().filter(call -> toolBox.isIdempotent(call.name())).toList(),
            admission));
    return replies;
  }

  private List<ToolReply> execute(List<ToolCall> calls, Admission admission)
      throws InterruptedException {
    if (calls.isEmpty()) {
      return List.of();
    }
    run.events().emit(new SessionEvent.ToolsStarted(run.progress().turn(), calls));
    List<ToolReply> replies;
    try (ToolRecord written = new ToolRecord(run, admission)) {
      replies = signal.call(() -> toolBox.run(calls, written));
    } catch (InterruptedException e) {
      List<ToolCall> open = new ArrayList<>(calls);
      open.retainAll(run.memory().openCalls());
      run.events().emit(new SessionEvent.ToolsCancelled(run.progress().turn(), open));
      throw e;
    }
    if (!replies.stream().map(ToolReply::call).toList().equals(calls)) {
      throw new IllegalStateException("the tools answered other calls than they were given");
    }
    return replies;
  }

  /** Writes down the results that the session itself gives. */
  private void keep(List<ToolReply> replies, Admission admission) {
    int turn = run.progress().turn();
    List<JournalEntry> entries = new ArrayList<>();
    replies.forEach(reply -> entries.addAll(admission.entries(turn, reply)));
    run.record(entries);
    replies.forEach(reply -> run.events().emit(new SessionEvent.ToolFinished(turn, reply)));
  }

  /**
   * A model that reports next to calls that failed has not seen them fail, and has not read what a
   * person said of them: it is shown that first, which is no failed try of its to report. What an
   * earlier process has carried out of the answer counts too.
   */
  private TurnEnd reported(ToolCall call) {
    Optional<FinalReport> report =
        TextReport.object(call.arguments()).flatMap(json -> rules.check(json).report());
    boolean personSpoke = run.memory().personSpoke();
    if (report.isPresent() && !personSpoke && !run.memory().callFailed()) {
      return new TurnEnd.Reported(report.get());
    }
    keep(List.of(notRun(call, personSpoke ? LEFT_SINCE : LEFT)), Admission.NONE);
    return new TurnEnd.Continue();
  }

  private static List<ToolReply> unclearIn(List<ToolReply> replies) {
    return replies.stream()
        .filter(reply -> reply.outcome() == ToolReply.Outcome.UNKNOWN_EFFECT)
        .toList();
  }
}
