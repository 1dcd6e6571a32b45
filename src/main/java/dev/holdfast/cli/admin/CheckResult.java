package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.PlainText;
import java.util.Locale;

/**
 * What one check of {@code holdfast doctor} found.
 *
 * @param nextStep what to do about it; empty where all is well
 */
record CheckResult(String check, Status status, String detail, String nextStep) {
  enum Status {
    OK,
    WARN,
    FAIL
  }

  static CheckResult ok(String check, String detail) {
    return new CheckResult(check, Status.OK, detail, "");
  }

  static CheckResult warn(String check, String detail, String nextStep) {
    return new CheckResult(check, Status.WARN, detail, nextStep);
  }

  static CheckResult fail(String check, String detail, String nextStep) {
    return new CheckResult(check, Status.FAIL, detail, nextStep);
  }

  String line() {
    String next = nextStep.isEmpty() ? "" : "; " + nextStep;
    String word = status.name().toLowerCase(Locale.ROOT);
    return word + " ".repeat(6 - word.length()) + check + ": " + PlainText.oneLine(detail + next);
  }
}
