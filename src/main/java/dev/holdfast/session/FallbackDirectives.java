package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.session.RetryDirective.Action;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The table of B41: what follows a failure for which no provider has given a directive. */
final class FallbackDirectives {
  private static final long NETWORK_MAX_MS = 30_000;

  private final boolean waitAfterNetworkErrors;
  private final boolean skipTargetOnAuthError;

  FallbackDirectives(boolean waitAfterNetworkErrors, boolean skipTargetOnAuthError) {
    this.waitAfterNetworkErrors = waitAfterNetworkErrors;
    this.skipTargetOnAuthError = skipTargetOnAuthError;
  }

  /**
   * @param attempt of this turn, from 1
   */
  RetryDirective after(CallResult.Failed failure, int attempt) {
    return switch (failure.kind()) {
      case RATE_LIMIT -> RetryDirective.of(Action.RETRY, millis(failure.retryAfter()));
      case AUTH_ERROR ->
          RetryDirective.of(skipTargetOnAuthError ? Action.SKIP_PROVIDER : Action.ABORT, null);
      case QUOTA_EXCEEDED, CONTEXT_OVERFLOW, OUT_OF_BUDGET -> RetryDirective.of(Action.ABORT, null);
      case TIMEOUT, NETWORK_ERROR -> RetryDirective.of(Action.RETRY, networkBackoff(attempt));
      case MODEL_ERROR ->
          RetryDirective.of(failure.retryable() ? Action.RETRY : Action.SKIP_PROVIDER, null);
      case INVALID_RESPONSE -> RetryDirective.of(Action.RETRY, null);
    };
  }

  /** Whether the session ends whatever a directive says (invariant 4). */
  boolean isFatal(FailureKind kind) {
    return switch (kind) {
      case AUTH_ERROR -> !skipTargetOnAuthError;
      case QUOTA_EXCEEDED, OUT_OF_BUDGET -> true;
      default -> false;
    };
  }

  private @Nullable Double networkBackoff(int attempt) {
    return waitAfterNetworkErrors
        ? (double) Math.clamp((attempt + 1) * 1_000L, 1_000, NETWORK_MAX_MS)
        : null;
  }

  private static @Nullable Double millis(@Nullable Duration hint) {
    return hint == null ? null : (double) hint.toMillis();
  }
}
