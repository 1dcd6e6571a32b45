package dev.holdfast.failure;

import dev.holdfast.ticket.StorableText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A classified failure: what the ticket's row and the retry decision need.
 *
 * @param message the whole error text (A54)
 * @param category one of the five (A5)
 * @param rule id of the rule that decided; "stated" for a category the job named, "none" for
 *     unknown
 * @param evidence the piece of text, code or class that matched, at most {@link #MAX_EVIDENCE} long
 * @param retryAfter how long the server asks to wait (A24); null where it does not
 * @param httpStatus 400 to 599 where the evidence states it
 * @param fingerprint 32 hex digits, equal for equal errors
 * @param title the line of the message that says why ({@link ErrorTitle})
 */
public record Failure(
    String message,
    Category category,
    String rule,
    String evidence,
    @Nullable Duration retryAfter,
    @Nullable Integer httpStatus,
    String fingerprint,
    String title) {

  /** Longest evidence in characters. */
  public static final int MAX_EVIDENCE = 200;

  /** Makes a failure whose title is found in its message. */
  public Failure(
      String message,
      Category category,
      String rule,
      String evidence,
      @Nullable Duration retryAfter,
      @Nullable Integer httpStatus,
      String fingerprint) {
    this(
        message,
        category,
        rule,
        evidence,
        retryAfter,
        httpStatus,
        fingerprint,
        ErrorTitle.of(message));
  }

  public Failure {
    if (evidence.length() > MAX_EVIDENCE) {
      evidence = StorableText.orEmpty(evidence.substring(0, MAX_EVIDENCE));
    }
  }
}
