package dev.holdfast.repair;

import dev.holdfast.llm.Account;
import dev.holdfast.llm.BrokenOffException;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.Usage;
import dev.holdfast.repair.trace.RunLog;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/**
 * Writes down each call that brought no answer and was possibly billed, also one that a retry has
 * made good since; what an answer cost goes with its step. Thread-safe.
 */
record CountedProvider(ChatProvider provider, RunLog log) implements ChatProvider {
  @Override
  public CallResult call(ChatRequest request, StreamListener stream) throws InterruptedException {
    CallResult result = send(request, stream);
    if (result instanceof CallResult.Failed failed && !failed.usage().equals(Usage.NONE)) {
      log.unanswered(paid(request, failed.usage()));
    }
    return result;
  }

  private CallResult send(ChatRequest request, StreamListener stream) throws InterruptedException {
    try {
      return provider.call(request, stream);
    } catch (BrokenOffException e) {
      log.brokenOff(paid(request, e.usage()));
      throw e;
    }
  }

  private RunLog.Paid paid(ChatRequest request, Usage usage) {
    return new RunLog.Paid(
        new Target(name(), request.model()), usage, cost(request.model(), usage).orElse(null));
  }

  @Override
  public String name() {
    return provider.name();
  }

  @Override
  public List<Account> accounts() {
    return provider.accounts();
  }

  @Override
  public Optional<Standstill> standstill(String model) {
    return provider.standstill(model);
  }

  @Override
  public Optional<BigDecimal> cost(String model, Usage usage) {
    return provider.cost(model, usage);
  }

  /** The provider outlives the run. */
  @Override
  public void close() {}
}
