package dev.holdfast.repair;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.ProviderCallRetry;
import dev.holdfast.llm.ProviderEvent;
import dev.holdfast.llm.RetryContext;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.ToolChoice;
import dev.holdfast.llm.Usage;
import dev.holdfast.repair.trace.RunEvent;
import dev.holdfast.repair.trace.RunLog;
import dev.holdfast.session.retry.Route;
import dev.holdfast.session.retry.Routing;
import java.util.List;

/**
 * Asks the targets in their order until one answers. Each call has retries of its own (E-1), and
 * all of them keep to the attempt's budget and the run's. Thread-safe.
 *
 * @param runIsFirst whether the run's own limit of calls ends the attempt, not the attempt's
 */
record Models(
    List<Route> routes,
    ModelPorts ports,
    RetryContext context,
    RunBudget budget,
    boolean runIsFirst) {
  Models {
    routes = List.copyOf(routes);
  }

  /**
   * Returns the answer of the first target that gives one. The next target may answer what a
   * target, or a filter, refuses.
   *
   * @param first where in the targets to begin, so that candidates differ
   * @throws ModelFailedException if none does
   * @throws StoodStillException if none is to be called now
   * @throws BudgetExceededException if the run may ask no more
   */
  RunLog.Done<ModelText> ask(String system, String prompt, int first, RunLog.Events events)
      throws ModelFailedException, StoodStillException, InterruptedException {
    CallResult.Failed last = null;
    String noMoney = null;
    ModelText refusal = null;
    Routing asked = new Routing(routes, 0, ports.nanoTime());
    for (int i = 0; i < routes.size(); i++) {
      budget.requireLeft();
      Route route = routes.get((first + i) % routes.size());
      ChatProvider provider = new CountedProvider(route.provider(), budget);
      switch (retry(events)
          .call(provider, request(route, system, prompt), context, route.retry())) {
        case CallResult.Answer answer when answer.isRefused() -> {
          budget.log().unanswered(paid(route, answer.usage()));
          refusal = ModelText.of(answer);
        }
        case CallResult.Answer answer -> {
          return new RunLog.Done<>(ModelText.of(answer), paid(route, answer.usage()));
        }
        case CallResult.Refused refused -> asked.refused(route, refused.why());
        // Another target may cost less.
        case CallResult.Failed failed when CountedProvider.NO_MONEY.equals(failed.code()) ->
            noMoney = failed.message();
        case CallResult.Failed failed when failed.kind() == FailureKind.OUT_OF_BUDGET ->
            throw outOfBudget(failed);
        case CallResult.Failed failed -> last = failed;
      }
    }
    if (refusal != null) {
      return RunLog.Done.free(refusal);
    }
    budget.requireLeft();
    Standstill still = asked.standstill();
    if (last != null) {
      throw new ModelFailedException(last, last.isOfAccount() ? still : null);
    }
    if (still == null && noMoney != null) {
      throw new BudgetExceededException(noMoney);
    }
    if (still == null) {
      throw new IllegalStateException("a run needs a target");
    }
    throw new StoodStillException(still);
  }

  private static RunLog.Paid paid(Route route, Usage usage) {
    return new RunLog.Paid(
        route.target(), usage, route.provider().cost(route.target().model(), usage).orElse(null));
  }

  /**
   * Makes the error of a used-up budget. The log does not know yet what this call and those under
   * way have used.
   */
  private ModelFailedException outOfBudget(CallResult.Failed failed) {
    budget.requireLeft();
    if (context.timeLeft().isZero()) {
      throw budget.outOfTime();
    }
    if (runIsFirst) {
      throw budget.outOfCalls();
    }
    return new ModelFailedException(failed, null);
  }

  private ProviderCallRetry retry(RunLog.Events events) {
    return new ProviderCallRetry(
        ports.retry(),
        ports.sleeper(),
        ports.nanoTime(),
        ports.random(),
        event -> {
          ports.listener().on(event);
          events.on(traced(event));
        });
  }

  private static RunEvent traced(ProviderEvent event) {
    return switch (event) {
      case ProviderEvent.ProviderRequestStarted each ->
          new RunEvent.ProviderRequestStarted(each.provider(), each.model());
      case ProviderEvent.ProviderRequestFinished each ->
          new RunEvent.ProviderRequestFinished(
              each.provider(),
              each.retries(),
              each.success(),
              each.durationMs(),
              each.error(),
              each.sent(),
              each.uncounted());
    };
  }

  private ChatRequest request(Route route, String system, String prompt) {
    return new ChatRequest(
        route.target().model(),
        system,
        List.of(new Message.User(prompt)),
        List.of(),
        ToolChoice.NONE,
        budget.longestAnswer(),
        budget.callTimeout());
  }
}
