package dev.holdfast.failure;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a report is classified as it is.
 *
 * @param stage where the deciding rule looks; null where the job stated its category, or no rule
 *     matches
 * @param hintEvidence the header, field or words that say how long to wait; null where nothing does
 * @param otherRules ids of the rules that match too but come later, in their order
 */
public record Explanation(
    Failure failure,
    @Nullable Stage stage,
    @Nullable String hintEvidence,
    List<String> otherRules) {
  public Explanation {
    otherRules = List.copyOf(otherRules);
  }

  /** Returns the deciding fact in words, such as: the HTTP status "429". */
  public String categoryFrom() {
    if (stage == null) {
      return failure.rule().equals(Classifier.STATED) ? "the job's own word" : "no rule matches";
    }
    String place =
        switch (stage) {
          case TYPE -> "the class of the exception";
          case CODE -> "a report of a test, compiler or linter";
          case ROOT -> "the root cause";
          case EXIT -> "the exit code";
          case TOOL -> "the message of a program";
          case BODY -> "the answer's error code or phrase";
          case STATUS -> "the HTTP status";
          case ERRNO -> "the operating system's error";
          case TEXT -> "the text";
          case GUESS -> "a word in the text, a guess";
        };
    return failure.evidence().isEmpty() ? place : place + " \"" + failure.evidence() + "\"";
  }
}
