package dev.holdfast.handler.repair;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.repair.ModelFailedException;
import dev.holdfast.session.retry.FailureCategory;
import java.time.Duration;

/** Turns failed calls of models into the ticket's result (composition 9). */
final class RepairFailures {
  private RepairFailures() {}

  /** Makes the error report; it carries the status and the Retry-After upward. */
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
    boolean comesBack =
        failure.kind() == FailureKind.QUOTA_EXCEEDED && failure.retryAfter() != null;
    return comesBack ? Category.TRANSIENT : FailureCategory.of(failure);
  }
}
