package dev.holdfast.repair;

import dev.holdfast.repair.trace.RunLog;
import dev.holdfast.repair.trace.Spending;
import java.math.BigDecimal;
import java.time.Duration;

/** The limits of a run, over all its attempts (E16). Thread-safe. */
record RunBudget(RepairSettings.Limits limits, RunLog log) {
  /**
   * @throws BudgetExceededException where nothing more may be begun
   */
  void requireLeft() {
    Spending spent = log.spending();
    BigDecimal maxCost = limits.maxCostUsd();
    if (maxCost != null && spent.costUsd().compareTo(maxCost) >= 0) {
      throw new BudgetExceededException(
          "cost: %s USD of the %s allowed (limits.max_cost_usd)"
              .formatted(
                  spent.costUsd().stripTrailingZeros().toPlainString(), maxCost.toPlainString()));
    }
    if (spent.calls() >= limits.maxCalls()) {
      throw outOfCalls(spent.calls());
    }
    if (timeLeft().isZero()) {
      throw outOfTime();
    }
  }

  /** Of a run whose calls are all taken, some of them by requests that are still under way. */
  BudgetExceededException outOfCalls() {
    return outOfCalls(limits.maxCalls());
  }

  private BudgetExceededException outOfCalls(int calls) {
    return new BudgetExceededException(
        "calls: %s of the %s allowed (limits.max_calls)".formatted(calls, limits.maxCalls()));
  }

  BudgetExceededException outOfTime() {
    return new BudgetExceededException(
        "time: the " + limits.maxDuration() + " allowed (limits.max_duration) are over");
  }

  Duration timeLeft() {
    Duration left = limits.maxDuration().minus(log.elapsed());
    return left.isNegative() ? Duration.ZERO : left;
  }

  int callsLeft() {
    return Math.max(0, limits.maxCalls() - log.spending().calls());
  }

  Duration callTimeout() {
    return limits.llmTimeout();
  }
}
