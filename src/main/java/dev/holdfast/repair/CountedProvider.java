package dev.holdfast.repair;

import dev.holdfast.llm.BrokenOffException;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.WrappedProvider;
import dev.holdfast.repair.trace.RunLog;
import java.math.BigDecimal;
import java.util.Objects;

/**
 * Sends a call only where its worst cost has room in the run's budget. Records each call that
 * brought no answer and was possibly billed, even if a retry succeeded later; the cost of an answer
 * is recorded with its step. Thread-safe.
 */
record CountedProvider(ChatProvider provider, RunBudget budget) implements WrappedProvider {
  /** The code of the failure where the call has no room. */
  static final String NO_MONEY = "no_money";

  @Override
  public CallResult call(ChatRequest request, StreamListener stream) throws InterruptedException {
    ChatRequest bounded = budget.bounded(request);
    BigDecimal worst = budget.worst(provider, bounded);
    String noRoom = budget.reserve(worst);
    if (noRoom != null) {
      return new CallResult.Failed(
          FailureKind.OUT_OF_BUDGET, false, noRoom, null, NO_MONEY, null, false, null);
    }
    // The possible cost of a call that is broken off counts, too.
    BigDecimal cost = worst;
    try {
      CallResult result = send(bounded, stream);
      Usage usage = used(result);
      RunLog.Paid paid = paid(bounded, usage);
      cost = Objects.requireNonNullElse(paid.costUsd(), BigDecimal.ZERO);
      if (result instanceof CallResult.Failed && !usage.equals(Usage.NONE)) {
        budget.log().unanswered(paid);
      }
      return result;
    } finally {
      budget.settle(worst, cost);
    }
  }

  private static Usage used(CallResult result) {
    return switch (result) {
      case CallResult.Answer answer -> answer.usage();
      case CallResult.Failed failed -> failed.usage();
      case CallResult.Refused _ -> Usage.NONE;
    };
  }

  private CallResult send(ChatRequest request, StreamListener stream) throws InterruptedException {
    try {
      return provider.call(request, stream);
    } catch (BrokenOffException e) {
      budget.log().brokenOff(paid(request, e.usage()));
      throw e;
    }
  }

  private RunLog.Paid paid(ChatRequest request, Usage usage) {
    return new RunLog.Paid(
        new Target(name(), request.model()), usage, cost(request.model(), usage).orElse(null));
  }
}
