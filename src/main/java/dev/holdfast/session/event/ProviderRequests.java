package dev.holdfast.session.event;

import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.ProviderEvent.ProviderRequestFinished;
import dev.holdfast.llm.ProviderEventListener;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells of what the turns of one session ask of providers in the words of calls outside of sessions
 * (E10). A request is what one run of a turn asks of one provider: its tries until that answers, or
 * until the run is over. An answer ends it even if the session discards that answer. Not
 * thread-safe: hears of one session, on its thread.
 */
public final class ProviderRequests implements SessionListener {
  /** Failed tries at one provider. */
  private record Open(int tries, long millis, @Nullable String error) {
    static final Open NONE = new Open(0, 0, null);

    Open andThen(SessionEvent.AttemptFinished failed) {
      long took = failed.latency().plus(failed.backoff()).toMillis();
      return new Open(tries + 1, millis + took, failed.error());
    }
  }

  private final ProviderEventListener listener;
  private final Map<String, Open> open = new LinkedHashMap<>();

  public ProviderRequests(ProviderEventListener listener) {
    this.listener = listener;
  }

  @Override
  public void on(SessionEvent event) {
    switch (event) {
      case SessionEvent.AttemptFinished each -> attempted(each);
      case SessionEvent.TurnFinished each -> failAll();
      // An aborted turn does not finish.
      case SessionEvent.Finished each -> failAll();
      default -> {
        // The rest asks nothing of a provider.
      }
    }
  }

  private void attempted(SessionEvent.AttemptFinished each) {
    String provider = each.target().provider();
    if (each.status().equals(FailureKind.OUT_OF_BUDGET.wireName())) {
      return; // Nothing was sent.
    }
    Open before = open.getOrDefault(provider, Open.NONE);
    if (isFailure(each.status())) {
      open.put(provider, before.andThen(each));
      return;
    }
    open.remove(provider);
    listener.on(
        new ProviderRequestFinished(
            provider, before.tries(), true, before.millis() + each.latency().toMillis(), null));
  }

  /** True if no answer came. Other words say that one came, and why it was discarded if it was. */
  private static boolean isFailure(String status) {
    return status.equals("error")
        || status.equals("aborted")
        || Arrays.stream(FailureKind.values()).anyMatch(kind -> kind.wireName().equals(status));
  }

  private void failAll() {
    open.forEach(
        (provider, failed) ->
            listener.on(
                new ProviderRequestFinished(
                    provider, failed.tries() - 1, false, failed.millis(), failed.error())));
    open.clear();
  }
}
