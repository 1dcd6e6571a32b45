package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.WrappedProvider;
import dev.holdfast.session.retry.Route;
import java.util.Objects;

/**
 * A session's provider as its summaries call it. It keeps to the session's limits, and writes down
 * a call that brings no summary. The caller takes the call off the budget, and gives it back where
 * a limit refuses it.
 */
record SummaryProvider(Route route, Budget budget, RunState run) implements WrappedProvider {
  static Route of(Route route, Budget budget, RunState run) {
    return new Route(route.target(), new SummaryProvider(route, budget, run), route.retry());
  }

  @Override
  public ChatProvider provider() {
    return route.provider();
  }

  @Override
  public CallResult call(ChatRequest request, StreamListener stream) throws InterruptedException {
    Budget.Permit permit = budget.permit(route, request);
    ChatRequest fitting = permit.request();
    if (fitting == null) {
      return Objects.requireNonNull(permit.refused());
    }
    CallResult result = send(fitting, stream);
    switch (result) {
      case CallResult.Failed failed ->
          run.keepPaid(0, route, "summary_" + failed.kind().wireName(), failed.usage());
      case CallResult.Answer answer when answer.isWithoutText() ->
          run.discard(0, route, "summary_blank", answer.usage(), false);
      case CallResult.Answer _, CallResult.Refused _ -> {
        // The compaction itself writes a summary down.
      }
    }
    return result;
  }

  private CallResult send(ChatRequest request, StreamListener stream) throws InterruptedException {
    try {
      return route.provider().call(request, stream);
    } catch (InterruptedException e) {
      run.keepBrokenOff(0, route, "summary_aborted", e);
      throw e;
    }
  }
}
