package dev.holdfast.llm;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The result of a call. */
public sealed interface CallResult {
  /**
   * @param usage {@link Usage#NONE} where the provider did not say
   */
  record Answer(Message.Assistant message, StopReason stop, Usage usage) implements CallResult {}

  /**
   * @param retryable whether the same call may succeed later or elsewhere
   * @param message the provider's words, with the root cause; never a key
   * @param code the provider's own error code or type
   * @param retryAfter how long it asks to wait
   * @param maybeBilled false only where the provider surely did no paid work
   * @param cause for the log and the classifier
   */
  record Failed(
      FailureKind kind,
      boolean retryable,
      String message,
      @Nullable Integer httpStatus,
      @Nullable String code,
      @Nullable Duration retryAfter,
      boolean maybeBilled,
      @Nullable Throwable cause)
      implements CallResult {}

  /** No request was sent: the target is not to be called now. */
  record Refused(Standstill why) implements CallResult {}
}
