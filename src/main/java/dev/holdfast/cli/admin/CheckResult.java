package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.PlainText;
import java.util.Locale;

/**
 * The result of one check of {@code holdfast doctor}.
 *
 * @param nextStep what to do about it, with the command; empty where all is well
 * @param command the command alone, for a shell or, where it begins with a word of SQL in capitals,
 *     for psql; empty where no single command repairs it
 */
record CheckResult(String check, Status status, String detail, String nextStep, String command) {
  enum Status {
    OK,
    /** The check was not possible, mostly because rights are missing. */
    SKIP,
    WARN,
    FAIL
  }

  static CheckResult ok(String check, String detail) {
    return new CheckResult(check, Status.OK, detail, "", "");
  }

  static CheckResult warn(String check, String detail, String nextStep) {
    return new CheckResult(check, Status.WARN, detail, nextStep, "");
  }

  static CheckResult fail(String check, String detail, String nextStep) {
    return new CheckResult(check, Status.FAIL, detail, nextStep, "");
  }

  static CheckResult skip(String check, String detail, String nextStep) {
    return new CheckResult(check, Status.SKIP, detail, nextStep, "");
  }

  /**
   * Returns the same finding with the command that repairs it, after its next step.
   *
   * @param mending the command as somebody pastes it
   */
  CheckResult by(String mending) {
    return new CheckResult(check, status, detail, nextStep + ": " + mending, mending);
  }

  CheckResult asFailure() {
    return new CheckResult(check, Status.FAIL, detail, nextStep, command);
  }

  String line() {
    String next = nextStep.isEmpty() ? "" : "; " + nextStep;
    String word = status.name().toLowerCase(Locale.ROOT);
    return word + " ".repeat(6 - word.length()) + check + ": " + PlainText.oneLine(detail + next);
  }
}
