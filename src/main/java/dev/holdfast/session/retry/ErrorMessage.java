package dev.holdfast.session.retry;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import java.util.Locale;

/** A failed call in words, for people: its kind and status stand before the provider's own text. */
final class ErrorMessage {
  private ErrorMessage() {}

  static String of(CallResult.Failed failure) {
    String label = label(failure.kind());
    Integer head = failure.httpStatus();
    // A call that was cut began with a status of success.
    Integer status = head == null || head < 300 ? null : head;
    String code = status == null ? "" : " " + status;
    boolean saysSo =
        failure.message().toLowerCase(Locale.ROOT).contains(label)
            && (status == null || failure.message().contains(status.toString()));
    return saysSo ? failure.message() : label + code + ": " + failure.message();
  }

  private static String label(FailureKind kind) {
    return switch (kind) {
      case RATE_LIMIT -> "rate limit";
      case NETWORK_ERROR -> "connection error";
      case TIMEOUT -> "timeout";
      default -> kind.wireName().replace('_', ' ');
    };
  }
}
