package dev.holdfast.session.retry;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides which errors the auto-retry takes (D4-D7): what the adapter knows by type counts first,
 * then the provider's words.
 */
public final class RetryableError {
  private static final String WORDS =
      "overloaded|rate.?limit|usage.?limit|too many requests|service.?unavailable|server.?error"
          + "|internal.?error|connection.?error|fetch failed|retry delay";
  private static final Pattern LOOSE =
      Pattern.compile(WORDS + "|429|500|502|503|504", Pattern.CASE_INSENSITIVE);
  private static final Pattern WHOLE_NUMBERS =
      Pattern.compile(WORDS + "|\\b(?:429|500|502|503|504)\\b", Pattern.CASE_INSENSITIVE);

  private static final Set<Integer> STATUSES = Set.of(429, 500, 502, 503, 504);

  /** Words of providers about a conversation that is too long, in lower case. */
  private static final List<String> OVERFLOW =
      List.of(
          "context_length_exceeded",
          "context length",
          "context window",
          "maximum context",
          "prompt is too long",
          "input is too long",
          "exceeds the maximum number of tokens",
          "reduce the length of the messages");

  private RetryableError() {}

  /**
   * @param wholeNumbers whether status codes in a text count only as whole numbers (D7)
   */
  static boolean isRetryable(TurnError error, boolean wholeNumbers) {
    CallResult.Failed failure = error.failure();
    String text = failure == null ? error.message() : failure.message();
    return !isOverflow(text)
        && !isHopeless(failure)
        && ((failure != null && isPassing(failure))
            || (wholeNumbers ? WHOLE_NUMBERS : LOOSE).matcher(text).find());
  }

  /** True for an untrusted certificate, whatever digits are in the error's words (E3). */
  private static boolean isHopeless(CallResult.@Nullable Failed failure) {
    return failure != null && failure.kind() == FailureKind.NETWORK_ERROR && !failure.retryable();
  }

  private static boolean isPassing(CallResult.Failed failure) {
    Integer status = failure.httpStatus();
    return failure.kind() == FailureKind.RATE_LIMIT
        || failure.kind() == FailureKind.NETWORK_ERROR
        || (status != null && STATUSES.contains(status));
  }

  /** True if a provider's words say that the conversation is too long (D3). */
  public static boolean isOverflow(String errorMessage) {
    String text = errorMessage.toLowerCase(Locale.ROOT);
    return OVERFLOW.stream().anyMatch(text::contains);
  }
}
