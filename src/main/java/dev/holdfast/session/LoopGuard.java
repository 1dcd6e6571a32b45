package dev.holdfast.session;

import dev.holdfast.llm.Message;
import dev.holdfast.session.context.Steps;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.retry.TurnEnd;
import dev.holdfast.session.retry.TurnError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;

/**
 * Detects a session that goes round in circles. It repeats the same call with the same result,
 * alternates between two steps, gives the same answer whatever its results are, or brings turn
 * after turn no usable answer. Equal steps are found in the conversation alone, so the guard sees
 * the same after a restart.
 */
final class LoopGuard {
  static final String REASON = "loop";

  /** One answer and what its calls brought, without the words around them. */
  private record Step(List<String> calls, List<String> results, boolean nudged) {}

  private final LoopSettings settings;
  private final RunState run;
  private int uselessTurns;

  LoopGuard(LoopSettings settings, RunState run) {
    this.settings = settings;
    this.run = run;
  }

  /**
   * Ends the session, or warns the model, where a turn that ran its tools or gave no usable answer
   * is one of a loop. Other ends stay as they are.
   */
  TurnEnd judge(TurnEnd end) {
    if (end instanceof TurnEnd.Invalid invalid) {
      return useless(invalid);
    }
    uselessTurns = 0;
    JournalEntry.Answered last = run.memory().lastAnswer();
    if (!(end instanceof TurnEnd.Continue) || last == null) {
      return end;
    }
    List<Step> steps = newestFirst();
    int equal = repeats(steps);
    if (settings.endAfter() > 0 && equal >= settings.endAfter()) {
      String what =
          "the session goes round in circles: the last %s steps were the same, %s"
              .formatted(equal, String.join("; ", steps.getFirst().calls()));
      return ended(end, new TurnError(last.target(), REASON, what, null, null));
    }
    if (settings.nudgeAfter() > 0 && equal >= settings.nudgeAfter()) {
      nudge(steps.subList(0, Math.min(steps.size(), 2 * equal)));
    }
    return end;
  }

  /** Counts a turn without a usable answer. The last turn has its own end (B55). */
  private TurnEnd useless(TurnEnd.Invalid end) {
    uselessTurns++;
    if (settings.endAfter() == 0
        || uselessTurns < settings.endAfter()
        || run.progress().forced() != null) {
      return end;
    }
    String what =
        "the last %s turns in a row brought no usable answer: %s"
            .formatted(uselessTurns, EndWords.last(end.error()));
    return ended(end, new TurnError(end.error().target(), REASON, what, null, null));
  }

  /**
   * Ends the session. Where there is a cached report, it makes the next turn the final one instead,
   * because that report counts only after a final turn (B50).
   */
  private TurnEnd ended(TurnEnd end, TurnError loop) {
    if (run.progress().pending() == null || run.progress().forced() != null) {
      return new TurnEnd.Fatal(SessionExitCode.LOOP, loop);
    }
    run.progress().collapse(REASON);
    return end;
  }

  private void nudge(List<Step> round) {
    if (round.stream().noneMatch(Step::nudged)) {
      NoticeText.LOOP.pushTo(run.notices());
    }
  }

  private static int repeats(List<Step> steps) {
    BiPredicate<Step, Step> same =
        (one, other) -> one.calls().equals(other.calls()) && one.results().equals(other.results());
    int equal = Math.max(repeats(steps, 1, same), repeats(steps, 2, same));
    return Math.max(
        equal, repeats(steps, 1, (one, other) -> one.calls().equals(other.calls())) / 2);
  }

  /** Counts how often the newest {@code length} steps are repeated in a row. */
  private static int repeats(List<Step> steps, int length, BiPredicate<Step, Step> same) {
    int i = length;
    while (i < steps.size() && same.test(steps.get(i), steps.get(i - length))) {
      i++;
    }
    return Math.min(i, steps.size()) / length;
  }

  /** Returns the steps since somebody last said something, because that is a new beginning. */
  private List<Step> newestFirst() {
    int most = 4 * Math.max(settings.nudgeAfter(), settings.endAfter());
    List<Step> steps = new ArrayList<>();
    List<String> results = new ArrayList<>();
    List<Message> messages = run.memory().history().stored();
    boolean nudged = false;
    for (int i = messages.size() - 1; i >= 0 && steps.size() < most; i--) {
      switch (messages.get(i)) {
        case Message.ToolResult result ->
            results.addFirst(result.toolName() + result.failed() + result.content());
        case Message.Assistant answer -> {
          List<String> calls =
              answer.toolCalls().stream()
                  .map(call -> call.name() + " " + call.arguments())
                  .toList();
          steps.add(new Step(calls, results.stream().sorted().toList(), nudged));
          results.clear();
          nudged = false;
        }
        case Message.User user -> {
          if (Steps.isSaid(user)) {
            return steps;
          }
          nudged |= REASON.equals(user.retryMessage());
        }
      }
    }
    return steps;
  }
}
