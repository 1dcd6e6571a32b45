package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.retry.RetryableError;
import dev.holdfast.session.retry.Routing;
import dev.holdfast.session.retry.TurnEnd;
import dev.holdfast.session.retry.TurnError;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a further attempt follows one that failed (B14-B16, B56). Which target comes next
 * and whether anybody waits for it is decided by what the cluster leaves open, see {@link Routing}.
 *
 * @param maxTries of one run of a turn
 */
record AfterAttempt(int maxTries, RunState run) {
  /** True if none of the turn's tries is left. */
  boolean isLast(int tries) {
    return tries >= maxTries;
  }

  /**
   * @param tries of this run of the turn so far, this one included
   * @param before the error of the attempt before; what a bound cuts off keeps it as its cause
   * @return how the run of the turn ends; null where a further attempt follows
   */
  @Nullable TurnEnd end(TurnError error, int tries, @Nullable TurnError before) {
    CallResult.Failed failure = error.failure();
    if (failure != null && isOverflow(failure)) {
      return new TurnEnd.Overflow(error);
    }
    if (failure != null && failure.kind() == FailureKind.OUT_OF_BUDGET) {
      return outOfBudget(failure, error, before);
    }
    return isLast(tries) ? usedUp(error, tries) : null;
  }

  private static boolean isOverflow(CallResult.Failed failure) {
    return failure.kind() == FailureKind.CONTEXT_OVERFLOW
        || (failure.kind() == FailureKind.MODEL_ERROR
            && RetryableError.isOverflow(failure.message()));
  }

  private TurnEnd outOfBudget(
      CallResult.Failed failure, TurnError error, @Nullable TurnError before) {
    SessionExitCode exit =
        Budget.COST_LIMIT.equals(failure.code())
            ? SessionExitCode.COST_LIMIT
            : SessionExitCode.BUDGET_EXCEEDED;
    run.events()
        .log(SessionEvent.Level.ERR, "agent:turn", exit.wireName() + ": " + error.message());
    return new TurnEnd.Fatal(exit, before == null ? error : before.cutOff(failure.message()));
  }

  private static TurnEnd usedUp(TurnError error, int tries) {
    if (error.isInvalidResponse()) {
      return new TurnEnd.Invalid(error, tries);
    }
    SessionExitCode refused = error.refusedAccount();
    return refused == null ? new TurnEnd.Errored(error, tries) : new TurnEnd.Fatal(refused, error);
  }
}
