package dev.holdfast.handler.repair;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.llm.CallResult;
import dev.holdfast.repair.ModelFailedException;
import java.time.Duration;

/** Turns failed calls of models into the ticket's result (composition 9). */
final class RepairFailures {
  private RepairFailures() {}

  /** Carries the status and the Retry-After upward. */
  static ErrorReport of(ModelFailedException e) {
    CallResult.Failed failure = e.failure();
    Duration asked = failure.retryAfter();
    return new ErrorReport(
        "no model answers: " + failure.message(),
        failure.cause(),
        failure.httpStatus(),
        null,
        category(failure),
        asked == null || asked.isNegative() ? null : asked);
  }

  private static Category category(CallResult.Failed failure) {
    return switch (failure.kind()) {
      case RATE_LIMIT, TIMEOUT, OUT_OF_BUDGET -> Category.TRANSIENT;
      case NETWORK_ERROR -> failure.retryable() ? Category.TRANSIENT : Category.SYSTEM_ERROR;
      case MODEL_ERROR -> failure.retryable() ? Category.TRANSIENT : Category.API_ERROR;
      case QUOTA_EXCEEDED -> failure.retryAfter() == null ? Category.API_ERROR : Category.TRANSIENT;
      case AUTH_ERROR -> Category.API_ERROR;
      case INVALID_RESPONSE, CONTEXT_OVERFLOW -> Category.CODE_ERROR;
    };
  }
}
