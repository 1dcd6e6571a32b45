package dev.holdfast.session.retry;

import dev.holdfast.failure.Category;
import dev.holdfast.llm.CallResult;
import dev.holdfast.session.report.SessionExitCode;
import org.jspecify.annotations.Nullable;

/** The category of a failed session for its ticket (composition 9). */
public final class FailureCategory {
  private FailureCategory() {}

  /** Returns the category; null where only the error's own text or exception can say. */
  public static @Nullable Category of(SessionExitCode exit, @Nullable TurnError error) {
    return switch (exit) {
      case AUTH_FAILURE, QUOTA_EXCEEDED -> Category.API_ERROR;
      case MAX_TURNS, TOKEN_LIMIT, LOOP -> Category.CODE_ERROR;
      case BUDGET_EXCEEDED, COST_LIMIT -> Category.TRANSIENT;
      case NO_LLM_RESPONSE, INACTIVITY_TIMEOUT ->
          error == null || error.failure() == null ? null : of(error.failure());
    };
  }

  /** Returns the category of a failed call, with nothing known of its consequences. */
  public static Category of(CallResult.Failed failure) {
    return switch (failure.kind()) {
      case RATE_LIMIT, TIMEOUT, OUT_OF_BUDGET -> Category.TRANSIENT;
      case NETWORK_ERROR -> failure.retryable() ? Category.TRANSIENT : Category.SYSTEM_ERROR;
      case MODEL_ERROR -> failure.retryable() ? Category.TRANSIENT : Category.API_ERROR;
      case AUTH_ERROR, QUOTA_EXCEEDED -> Category.API_ERROR;
      case INVALID_RESPONSE, CONTEXT_OVERFLOW -> Category.CODE_ERROR;
    };
  }
}
