package dev.holdfast.failure;

import dev.holdfast.ticket.StorableText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The unclassified evidence of one failed attempt. Immutable.
 *
 * @param text the whole error text, without NULs and lone surrogates (A54); "" where there is none
 * @param cause the exception, where one was thrown
 * @param httpStatus the status of the HTTP answer, where the reporter knows it
 * @param exitCode the exit code of the process, where one ran
 * @param statedCategory the category that the job itself named; it is believed (T18)
 * @param retryAfter how long the remote side asked to wait, not negative
 */
public record ErrorReport(
    String text,
    @Nullable Throwable cause,
    @Nullable Integer httpStatus,
    @Nullable Integer exitCode,
    @Nullable Category statedCategory,
    @Nullable Duration retryAfter) {

  public ErrorReport {
    text = StorableText.orEmpty(text);
    if (retryAfter != null && retryAfter.isNegative()) {
      throw new IllegalArgumentException("retryAfter must not be negative: " + retryAfter);
    }
  }

  /** Makes a report of a text alone. Null and blank texts are allowed (A11). */
  public static ErrorReport ofText(@Nullable String text) {
    return new ErrorReport(text == null ? "" : text, null, null, null, null, null);
  }

  /**
   * Makes a report of an exception. Its text is the stack trace, with a limited number of frames
   * and causes, but with the root cause in it. The report takes over what a {@link
   * TypedFailureException} in the chain states.
   */
  public static ErrorReport ofThrowable(Throwable cause) {
    String text = StackTraceText.of(cause);
    ErrorReport report = new ErrorReport(text, cause, null, null, null, null);
    for (Throwable link : CauseChain.of(cause)) {
      if (link instanceof TypedFailureException typed) {
        return report.mergedWith(typed.report());
      }
    }
    return report;
  }

  /** Makes a report of an exception that is known so well that its stack trace is not needed. */
  public static ErrorReport ofMessage(Throwable cause, Category category) {
    String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    return new ErrorReport(message, cause, null, null, category, null);
  }

  public ErrorReport withHttpStatus(int status) {
    return new ErrorReport(text, cause, status, exitCode, statedCategory, retryAfter);
  }

  public ErrorReport withExitCode(int code) {
    return new ErrorReport(text, cause, httpStatus, code, statedCategory, retryAfter);
  }

  public ErrorReport withStatedCategory(Category category) {
    return new ErrorReport(text, cause, httpStatus, exitCode, category, retryAfter);
  }

  public ErrorReport withRetryAfter(Duration hint) {
    return new ErrorReport(text, cause, httpStatus, exitCode, statedCategory, hint);
  }

  public ErrorReport withText(String other) {
    return new ErrorReport(other, cause, httpStatus, exitCode, statedCategory, retryAfter);
  }

  private ErrorReport mergedWith(ErrorReport typed) {
    return new ErrorReport(
        text, cause, typed.httpStatus, typed.exitCode, typed.statedCategory, typed.retryAfter);
  }
}
