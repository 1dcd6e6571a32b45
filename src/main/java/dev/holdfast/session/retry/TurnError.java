package dev.holdfast.session.retry;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Target;
import dev.holdfast.session.report.SessionExitCode;
import org.jspecify.annotations.Nullable;

/**
 * Why an attempt failed: the documented lastError and lastErrorType.
 *
 * @param type a {@link dev.holdfast.llm.FailureKind} by its wire name, or "error" where the call
 *     threw (B10)
 * @param failure null where the call answered or threw
 * @param cause what it threw
 */
public record TurnError(
    Target target,
    String type,
    String message,
    CallResult.@Nullable Failed failure,
    @Nullable Throwable cause) {
  static final String INVALID_RESPONSE = "invalid_response";

  public static TurnError of(Target target, CallResult.Failed failure) {
    return new TurnError(
        target, failure.kind().wireName(), ErrorMessage.of(failure), failure, failure.cause());
  }

  public static TurnError thrown(Target target, RuntimeException e) {
    return new TurnError(target, "error", String.valueOf(e), null, e);
  }

  public static TurnError invalid(Target target, String message) {
    return new TurnError(target, INVALID_RESPONSE, message, null, null);
  }

  /** Returns the same error, cut off by an outer bound, so that the bound does not hide it. */
  public TurnError cutOff(String bound) {
    return new TurnError(target, type, bound + "; last error: " + message, failure, cause);
  }

  /** Returns the same error with the exit code before its words (B11, B12). */
  public TurnError as(SessionExitCode exit) {
    return new TurnError(target, type, exit.wireName() + ": " + message, failure, cause);
  }

  /** The exit code of a refused key or a used-up account; null for every other error. */
  public @Nullable SessionExitCode refusedAccount() {
    return switch (failure == null ? null : failure.kind()) {
      case AUTH_ERROR -> SessionExitCode.AUTH_FAILURE;
      case QUOTA_EXCEEDED -> SessionExitCode.QUOTA_EXCEEDED;
      case null, default -> null;
    };
  }

  /** True if the error may be the reason why its target is not called any more. */
  public boolean isOfAccount() {
    return failure != null && failure.isOfAccount();
  }

  public boolean isInvalidResponse() {
    return type.equals(INVALID_RESPONSE);
  }
}
