package dev.holdfast.session.retry;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which errors the auto-retry takes (D4-D7): by text, whatever the provider. */
public final class RetryableError {
  private static final String WORDS =
      "overloaded|rate.?limit|usage.?limit|too many requests|service.?unavailable|server.?error"
          + "|internal.?error|connection.?error|fetch failed|retry delay";
  private static final Pattern LOOSE =
      Pattern.compile(WORDS + "|429|500|502|503|504", Pattern.CASE_INSENSITIVE);
  private static final Pattern WHOLE_NUMBERS =
      Pattern.compile(WORDS + "|\\b(?:429|500|502|503|504)\\b", Pattern.CASE_INSENSITIVE);

  /** What providers say of a conversation that is too long, in lower case. */
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
   * @param stopReason how the last message ended; only "error" counts (D4, D6)
   * @param wholeNumbers whether status codes count only as whole numbers (D7)
   */
  static boolean isRetryable(
      String stopReason, @Nullable String errorMessage, boolean wholeNumbers) {
    return stopReason.equals("error")
        && errorMessage != null
        && !isOverflow(errorMessage)
        && (wholeNumbers ? WHOLE_NUMBERS : LOOSE).matcher(errorMessage).find();
  }

  /** D3. */
  public static boolean isOverflow(String errorMessage) {
    String text = errorMessage.toLowerCase(Locale.ROOT);
    return OVERFLOW.stream().anyMatch(text::contains);
  }
}
