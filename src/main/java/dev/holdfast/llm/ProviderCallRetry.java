package dev.holdfast.llm;

import dev.holdfast.llm.ProviderEvent.ProviderRequestFinished;
import dev.holdfast.llm.ProviderEvent.ProviderRequestStarted;
import dev.holdfast.retry.Sleeper;
import java.time.Duration;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Retries a call of a model outside a session, such as a judge's or a reviewer's (E1-E12); inside
 * one the turn runner retries alone. Cancellation is the interrupt of the thread. Thread-safe.
 *
 * @param options of the worker
 * @param random from -1 to 1
 */
public record ProviderCallRetry(
    CallRetryOptions options,
    Sleeper sleeper,
    LongSupplier nanoTime,
    DoubleSupplier random,
    ProviderEventListener events) {
  private static final double JITTER = 0.1;

  /**
   * @param request its timeout holds for each try; the context's deadline for all (E9)
   * @param overrides of the call's target (E7)
   * @return the last try's result, or why nothing is sent now; where the budget is used up, a
   *     failure that names the last one
   * @throws InterruptedException at once on an abort, with no further request (E8)
   */
  public CallResult call(
      ChatProvider provider,
      ChatRequest request,
      RetryContext context,
      CallRetryOptions.Overrides overrides)
      throws InterruptedException {
    Call call = new Call(provider, request, context, options.with(overrides));
    events.on(new ProviderRequestStarted(provider.name(), request.model()));
    String error = "aborted";
    boolean success = false;
    try {
      CallResult result = call.run();
      success = result instanceof CallResult.Answer;
      error =
          switch (result) {
            case CallResult.Answer answer -> "";
            case CallResult.Failed failed -> failed.message();
            case CallResult.Refused refused -> refused.why().words();
          };
      return result;
    } catch (RuntimeException e) {
      error = e.toString();
      throw e;
    } finally {
      events.on(
          new ProviderRequestFinished(
              provider.name(),
              call.retries(),
              success,
              call.millis(),
              success ? null : error,
              call.sent > 0,
              call.uncounted));
    }
  }

  private final class Call {
    private final ChatProvider provider;
    private final ChatRequest request;
    private final RetryContext context;
    private final CallRetryOptions own;
    private final long started = nanoTime.getAsLong();
    private int sent;
    private int uncounted;
    private int nextKeys;

    Call(ChatProvider provider, ChatRequest request, RetryContext context, CallRetryOptions own) {
      this.provider = provider;
      this.request = request;
      this.context = context;
      this.own = own;
    }

    long millis() {
      return Duration.ofNanos(nanoTime.getAsLong() - started).toMillis();
    }

    int retries() {
      return Math.max(0, sent - 1 - nextKeys);
    }

    CallResult run() throws InterruptedException {
      CallResult.Failed last = null;
      while (true) {
        if (Thread.interrupted()) {
          throw new InterruptedException("aborted before a request");
        }
        context.requireGoingOn();
        if (!context.takeCall()) {
          return outOfBudget(last);
        }
        sent++;
        CallResult result = provider.call(withinDeadline(), StreamListener.NONE);
        if (isUnsent(result)) {
          sent--;
          context.giveBackCall();
        }
        if (!(result instanceof CallResult.Failed failed)) {
          return result;
        }
        if (closedProvider(failed)) {
          uncounted++;
          context.giveBackCall();
        }
        last = failed;
        if (hasNextKey(failed)) {
          nextKeys++;
          continue;
        }
        if (!isRetriable(failed) || retries() >= own.maxRetries() || !pause(failed)) {
          return failed;
        }
      }
    }

    /**
     * True if the failure closed its provider. Such failures do not count: the provider's cool-down
     * bounds them, and they must not end a ticket's run.
     */
    private boolean closedProvider(CallResult.Failed failed) {
      return failed.isOfAccount()
          && !failed.isCut()
          && provider.standstill(request.model()).isPresent();
    }

    /**
     * True if the next key is to be asked. The provider returns a failure of one key that cut an
     * answer, because the call may have cost something; after any other it asks the next key
     * itself.
     */
    private boolean hasNextKey(CallResult.Failed failed) {
      return failed.isOfKey()
          && failed.isCut()
          && nextKeys < provider.accounts().size() - 1
          && provider.standstill(request.model()).isEmpty();
    }

    /** Waits for the next retry; false where the wait would be too long (E12, E9). */
    private boolean pause(CallResult.Failed failed) throws InterruptedException {
      Duration delay = jittered(own.delay(sent - nextKeys));
      Duration asked = failed.retryAfter();
      if (asked != null && asked.compareTo(own.maxDelay()) > 0) {
        return false;
      }
      if (asked != null && asked.compareTo(delay) > 0) {
        delay = asked;
      }
      if (delay.compareTo(context.timeLeft()) >= 0) {
        return false;
      }
      context.sleep(sleeper, delay);
      return true;
    }

    private ChatRequest withinDeadline() {
      return request.withTimeout(context.atMost(request.timeout()));
    }
  }

  /** Changes the delay by up to a tenth, up or down, after the cap (E6). */
  private Duration jittered(Duration delay) {
    double millis = delay.toMillis() * (1 + JITTER * random.getAsDouble());
    return Duration.ofMillis(Math.max(0, Math.round(millis)));
  }

  /** True if nothing was sent, because of a guard or a limit on what may be spent. */
  private static boolean isUnsent(CallResult result) {
    return switch (result) {
      case CallResult.Refused _ -> true;
      case CallResult.Failed failed -> failed.kind() == FailureKind.OUT_OF_BUDGET;
      case CallResult.Answer _ -> false;
    };
  }

  /** True for a failure that is known to pass; no other is tried again (E2, E3). */
  private static boolean isRetriable(CallResult.Failed failed) {
    return switch (failed.kind()) {
      case RATE_LIMIT, TIMEOUT -> true;
      case MODEL_ERROR, NETWORK_ERROR -> failed.retryable();
      case AUTH_ERROR, QUOTA_EXCEEDED, INVALID_RESPONSE, CONTEXT_OVERFLOW, OUT_OF_BUDGET -> false;
    };
  }

  /** Keeps the last real cause, because that decides about the ticket's retry. */
  private static CallResult.Failed outOfBudget(CallResult.@Nullable Failed last) {
    String words = "the attempt has no time or no model calls left";
    return new CallResult.Failed(
        FailureKind.OUT_OF_BUDGET,
        false,
        last == null ? words : words + "; the last failure: " + last.message(),
        last == null ? null : last.httpStatus(),
        last == null ? null : last.code(),
        last == null ? null : last.retryAfter(),
        false,
        last == null ? null : last.cause());
  }
}
