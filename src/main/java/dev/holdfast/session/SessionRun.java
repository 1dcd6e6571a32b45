package dev.holdfast.session;

import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.AutoRetry;
import dev.holdfast.session.retry.TurnEnd;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One execution of a session, from what the journal holds to a result. */
record SessionRun(
    RunState run,
    TurnRunner turns,
    AnswerActions actions,
    AutoRetry autoRetry,
    Compaction compaction,
    LoopGuard loops,
    AfterTurn afterTurn) {
  SessionResult run(List<Input> inputs) throws InterruptedException {
    run.restore();
    autoRetry.resume(run.progress().failedRuns());
    List<Input> fresh = run.memory().unsaid(inputs);
    SessionResult earlier = fresh.isEmpty() ? earlierReport() : null;
    if (earlier != null) {
      return earlier;
    }
    TurnEnd left = finishLastAnswer(fresh.stream().anyMatch(Input::byPerson));
    say(fresh);
    return loop(left == null ? turns.run() : left);
  }

  /** The turn loop: run it again, smaller or with other targets, or move on. */
  private SessionResult loop(TurnEnd first) throws InterruptedException {
    TurnEnd end = loops.judge(first);
    while (true) {
      boolean again = autoRetry.after(end) || compaction.after(end) || turns.hasOtherTarget(end);
      Optional<SessionResult> result = again ? Optional.empty() : afterTurn.after(end);
      if (result.isPresent()) {
        return result.get();
      }
      end = loops.judge(turns.run());
    }
  }

  /**
   * Returns the report of an earlier process that died before it wrote the ticket's row. There is
   * none after a failure: the ticket's row has that, and the next attempt is told something new.
   */
  private @Nullable SessionResult earlierReport() {
    JournalEntry.Ended ended = run.memory().ended();
    if (ended == null || ended.report() == null || ended.source() == null) {
      return null;
    }
    return ended.how().equals(Memory.REPORTED)
        ? new SessionResult.Reported(ended.report(), ended.source(), ended.turn())
        : null;
  }

  /**
   * Carries out what an earlier process was in the middle of; null where it was not. A person who
   * has spoken since may want none of it: then the agent hears the words first.
   */
  private @Nullable TurnEnd finishLastAnswer(boolean personSpoke) throws InterruptedException {
    JournalEntry.Answered last = run.memory().lastAnswer();
    boolean isUnderWay = last != null && last.turn() == run.progress().turn();
    if (!isUnderWay) {
      return null;
    }
    return personSpoke ? actions.leave() : actions.act(true);
  }

  private void say(List<Input> fresh) {
    fresh.forEach(input -> run.record(List.of(new JournalEntry.Said(input))));
  }
}
