package dev.holdfast.llm;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The result of a call. */
public sealed interface CallResult {
  /**
   * @param usage {@link Usage#NONE} where the provider did not say
   */
  record Answer(Message.Assistant message, StopReason stop, Usage usage) implements CallResult {
    /** True if a content filter or the model itself stopped the answer. */
    public boolean isRefused() {
      return stop == StopReason.REFUSED;
    }

    /** True if there is no text, or only the text that replaces a refused answer. */
    public boolean isWithoutText() {
      return isRefused() || message.text().isBlank();
    }
  }

  /**
   * @param retryable whether the same call may succeed later or elsewhere
   * @param message the provider's words, with the root cause; never a key
   * @param httpStatus of the answer's head; 200 where the answer itself was cut
   * @param code the provider's own error code or type
   * @param retryAfter how long it asks to wait
   * @param maybeBilled false only where the provider surely did no paid work
   * @param cause for the log and the classifier
   * @param usage what the call is to count for; {@link Usage#NONE} where nothing is to be counted
   */
  record Failed(
      FailureKind kind,
      boolean retryable,
      String message,
      @Nullable Integer httpStatus,
      @Nullable String code,
      @Nullable Duration retryAfter,
      boolean maybeBilled,
      @Nullable Throwable cause,
      Usage usage)
      implements CallResult {
    public Failed(
        FailureKind kind,
        boolean retryable,
        String message,
        @Nullable Integer httpStatus,
        @Nullable String code,
        @Nullable Duration retryAfter,
        boolean maybeBilled,
        @Nullable Throwable cause) {
      this(kind, retryable, message, httpStatus, code, retryAfter, maybeBilled, cause, Usage.NONE);
    }

    /**
     * True if another key of the same vendor may help, because this key is refused, used up or
     * slowed.
     */
    public boolean isOfKey() {
      return switch (kind) {
        case AUTH_ERROR, QUOTA_EXCEEDED, RATE_LIMIT -> true;
        default -> false;
      };
    }

    /** True if the failure may be the reason why its target is not called any more. */
    public boolean isOfAccount() {
      return switch (kind) {
        case AUTH_ERROR, QUOTA_EXCEEDED, RATE_LIMIT, TIMEOUT, NETWORK_ERROR -> true;
        case MODEL_ERROR -> retryable;
        case INVALID_RESPONSE, CONTEXT_OVERFLOW, OUT_OF_BUDGET -> false;
      };
    }

    /** True if the model may have worked; providers do not charge for their own errors. */
    public boolean isCut() {
      return maybeBilled
          && switch (kind) {
            case TIMEOUT, NETWORK_ERROR, INVALID_RESPONSE -> true;
            default -> !usage.equals(Usage.NONE);
          };
    }

    public Failed withUsage(Usage counted) {
      return new Failed(
          kind, retryable, message, httpStatus, code, retryAfter, maybeBilled, cause, counted);
    }
  }

  /** No request was sent, because the target is not to be called now. */
  record Refused(Standstill why) implements CallResult {}
}
