package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.RetryContext;
import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What bounds all layers of an execution together: calls, time and money. */
final class Budget {
  static final String COST_LIMIT = "cost_limit";

  private final RetryContext context;
  private final @Nullable BigDecimal maxCostUsd;
  private final Memory memory;

  Budget(RetryContext context, @Nullable BigDecimal maxCostUsd, Memory memory) {
    this.context = context;
    this.maxCostUsd = maxCostUsd;
    this.memory = memory;
  }

  /** Takes one call; the failure where none may be made. */
  CallResult.@Nullable Failed takeCall() {
    BigDecimal cost = memory.spent().costUsd();
    if (maxCostUsd != null && cost.compareTo(maxCostUsd) >= 0) {
      return refused(
          "the session has cost " + cost + " USD of the " + maxCostUsd + " allowed", COST_LIMIT);
    }
    return context.takeCall()
        ? null
        : refused("the execution's model calls or time are used up", null);
  }

  /** Nothing was sent for the call that was taken. */
  void giveBackCall() {
    context.giveBackCall();
  }

  /** Whether a wait would go past the deadline. */
  boolean endsBefore(Duration wait) {
    return !wait.isZero() && wait.compareTo(context.timeLeft()) >= 0;
  }

  static CallResult.Failed refused(String message, @Nullable String code) {
    return new CallResult.Failed(
        FailureKind.OUT_OF_BUDGET, false, message, null, code, null, false, null);
  }
}
