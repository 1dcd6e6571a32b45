package dev.holdfast.session;

import dev.holdfast.failure.ShortText;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.session.journal.Standing;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.report.Spent;
import dev.holdfast.session.retry.TurnError;
import org.jspecify.annotations.Nullable;

/**
 * A session's end without a report, in words for people: what happened, what it has cost and what
 * they can do. Equal causes differ in nothing but numbers, so that their tickets are one group.
 */
final class EndWords {
  private static final int SHOWN = 300;

  private static final String REFUSED =
      "The provider refuses the request as it is: put its design right, above all its targets"
          + " (holdfast design put), let the ticket use that (holdfast design use), then release"
          + " the ticket.";

  private EndWords() {}

  /**
   * @param spent in all attempts of the session so far
   * @param forced why only the report was allowed; null where other tools were, too
   */
  static String of(
      SessionExitCode exit, TurnError error, Spent spent, Standing.@Nullable Forced forced) {
    String last = last(error);
    return what(exit, forced)
        + ": "
        + last
        + (last.endsWith(".") ? " " : ". ")
        + "The session has cost "
        + spent.answers()
        + " answers of models, "
        + spent.usage().context()
        + " tokens and "
        + usd(spent)
        + " USD by the price tables so far. "
        + (isRefused(exit, error) ? REFUSED : advice(exit))
        + (error.isInvalidResponse() || error.message().length() <= SHOWN
            ? ""
            : "\nThe whole of it: " + error.message());
  }

  /** The newest of the errors. */
  static String last(TurnError error) {
    return error.isInvalidResponse()
        ? answer(error.message())
        : ShortText.of(error.message(), SHOWN);
  }

  private static String what(SessionExitCode exit, Standing.@Nullable Forced forced) {
    String when =
        forced == null
            ? ""
            : forced == Standing.Forced.CONTEXT
                ? " when the conversation filled the model's window"
                : " in its last turn";
    return switch (exit) {
      case AUTH_FAILURE -> "The provider does not take the key" + when;
      case QUOTA_EXCEEDED -> "The money or the quota of the provider's account is used up" + when;
      case NO_LLM_RESPONSE -> "The agent got no usable answer of a model" + when;
      case INACTIVITY_TIMEOUT -> "The model did not answer in time" + when;
      case MAX_TURNS -> "The agent gave no final report in its last turn";
      case TOKEN_LIMIT -> "The conversation fills the model's window, and there is no final report";
      case LOOP -> "The agent did the same again and again";
      case BUDGET_EXCEEDED -> "The model calls or the time of the attempt are used up" + when;
      case COST_LIMIT -> "The budget allows no further call of a model" + when;
    };
  }

  /**
   * True if the provider refused the request itself, such as for a model that does not exist.
   * Waiting does not help then.
   */
  private static boolean isRefused(SessionExitCode exit, TurnError error) {
    return exit == SessionExitCode.NO_LLM_RESPONSE
        && error.failure() != null
        && error.failure().kind() == FailureKind.MODEL_ERROR
        && !error.failure().retryable();
  }

  private static String advice(SessionExitCode exit) {
    return switch (exit) {
      case AUTH_FAILURE, QUOTA_EXCEEDED ->
          "Put the provider's account in order, then release the ticket; holdfast providers mend"
              + " releases all that wait for it.";
      case NO_LLM_RESPONSE, INACTIVITY_TIMEOUT ->
          "When the provider answers again, release the ticket: the session goes on where it is.";
      case MAX_TURNS ->
          "Read the transcript (holdfast show), then release the ticket with guidance, or raise"
              + " limits.max_turns in its design.";
      case TOKEN_LIMIT ->
          "Read the transcript (holdfast show), then release the ticket with a smaller task, or"
              + " with --fresh.";
      case LOOP ->
          "Read the transcript (holdfast show), then release the ticket with guidance that leads"
              + " out of the loop.";
      case BUDGET_EXCEEDED ->
          "Release the ticket to go on, or raise llm.max-calls-per-execution or the timeout of its"
              + " design.";
      case COST_LIMIT -> "Raise the budget or look at what was done, then release the ticket.";
    };
  }

  /** Puts a code word of {@link AnswerReview} into words for people. */
  private static String answer(String code) {
    return switch (code) {
      case AnswerReview.CONTENT -> "its last answer was text and called no tool";
      case AnswerReview.NO_VALID_CALL -> "no tool call of its last answer could be carried out";
      case AnswerReview.REASONING -> "its last answer was reasoning without text or tool calls";
      case AnswerReview.EMPTY -> "its last answer was empty";
      case AnswerReview.OUTPUT_LIMIT ->
          "its last answer was cut off at the output limit (limits.max_output_tokens)";
      case AnswerReview.REFUSED -> "the model refused to answer, or a content filter did";
      default -> code;
    };
  }

  private static String usd(Spent spent) {
    return spent.costUsd().signum() == 0
        ? "0"
        : spent.costUsd().stripTrailingZeros().toPlainString();
  }
}
