package dev.holdfast.worker;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Classifier;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.failure.Failure;
import dev.holdfast.queue.Finish;
import dev.holdfast.retry.HoldCause;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.ticket.InvalidInputException;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a result that the database refuses: the ticket waits for a person, who is told the
 * database's own words. Another attempt would end in the same way.
 */
final class Refusal {
  private static final int KEPT_CHARS = 2_000;
  private static final String RULE = "refused-result";

  private Refusal() {}

  /** Holds the ticket with the beginning of the result or of the error that could not be stored. */
  static Finish withResult(Finish refused, RuntimeException why) {
    return held(refused, why, "; it began with: " + beginning(content(refused)));
  }

  /** Holds the ticket without that beginning, for the case that the database refuses it. */
  static Finish bare(Finish refused, RuntimeException why) {
    return held(refused, why, "");
  }

  private static Finish held(Finish refused, RuntimeException why, String more) {
    if (refused instanceof Finish.Failed failed && why instanceof InvalidInputException) {
      return withoutText(failed, why);
    }
    String words = "the result cannot be stored: " + why.getMessage();
    Failure failure =
        new Failure(words + more, Category.SYSTEM_ERROR, RULE, "", null, null, fingerprint(words));
    RetryDecision.Hold hold = new RetryDecision.Hold(HoldCause.POISON, firstLine(words));
    return new Finish.Failed(refused.ticketId(), refused.leaseNo(), failure, hold);
  }

  /**
   * Makes a fingerprint of the words alone: what the result began with differs from ticket to
   * ticket.
   */
  private static String fingerprint(String words) {
    ErrorReport report = ErrorReport.ofText(words).withStatedCategory(Category.SYSTEM_ERROR);
    return Classifier.standard().classify(report).fingerprint();
  }

  /**
   * Replaces the text of a failure that cannot be stored; the decision on the failure stays the
   * same.
   */
  private static Finish withoutText(Finish.Failed failed, RuntimeException why) {
    Failure failure = failed.failure();
    return new Finish.Failed(
        failed.ticketId(),
        failed.leaseNo(),
        new Failure(
            "the error could not be stored: " + why.getMessage(),
            failure.category(),
            failure.rule(),
            "",
            failure.retryAfter(),
            failure.httpStatus(),
            failure.fingerprint()),
        failed.hold());
  }

  /** Returns the result or the error. */
  static @Nullable String content(Finish finish) {
    return switch (finish) {
      case Finish.Succeeded succeeded -> succeeded.result();
      case Finish.Failed failed -> failed.failure().message();
      case Finish.Parked parked -> parked.details();
      case Finish.Advanced advanced -> advanced.plan();
      case Finish.Deferred deferred -> null;
      case Finish.GivenBack givenBack -> null;
    };
  }

  /**
   * Returns as much of it as a log line or an error takes; a pair of surrogates is not cut in two.
   */
  static String beginning(@Nullable String text) {
    if (text == null) {
      return "nothing";
    }
    if (text.length() <= KEPT_CHARS) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(KEPT_CHARS - 1)) ? KEPT_CHARS - 1 : KEPT_CHARS;
    return text.substring(0, end) + "…";
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse(text);
  }
}
