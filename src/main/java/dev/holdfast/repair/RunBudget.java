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
      throw new BudgetExceededException(
          "calls: %s of the %s allowed (limits.max_calls)"
              .formatted(spent.calls(), limits.maxCalls()));
    }
    if (timeLeft().isZero()) {
      throw new BudgetExceededException(
          "time: the " + limits.maxDuration() + " allowed (limits.max_duration) are over");
    }
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
