package dev.holdfast.failure;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What programs, servers and exceptions say of their failures. */
public final class FailureFuzz {
  private static final Duration LONGEST_HINT = Duration.ofDays(3650);
  private static final int SLOW_CHECKS = 16;
  private static final Instant NOW = Instant.parse("2026-11-24T00:00:00Z");

  public static final FuzzTarget CLASSIFIER =
      FuzzTarget.ofText("classifier", FailureFuzz::classifier);
  public static final FuzzTarget HINTS = FuzzTarget.ofText("hints", FailureFuzz::hints);
  public static final FuzzTarget STACK_TRACES =
      FuzzTarget.ofText("stack-traces", FailureFuzz::stackTraces);

  private FailureFuzz() {}

  private static void classifier(String text) {
    ErrorReport report = ErrorReport.ofText(text);
    Failure failure = Classifier.standard().classify(report);
    holds(failure, text);
    require(
        ErrorTitle.of(report.text()).equals(failure.title()),
        "the title is that of the whole text");
    if (text.hashCode() % SLOW_CHECKS == 0) {
      isExplained(report, failure);
    }
  }

  /** Every rule is asked: a hundred times slower. */
  private static void isExplained(ErrorReport report, Failure failure) {
    Failure again = Classifier.standard().withoutShortcuts().classify(report);
    require(failure.equals(again), "the shortcuts change nothing: " + failure + " or " + again);
    require(
        Classifier.standard().explain(report).failure().equals(failure), "explain() says the same");
  }

  private static void holds(Failure failure, String text) {
    require(failure.message().indexOf('\0') < 0, "no NUL in the message");
    require(failure.message().length() <= text.length(), "the message is no longer than the text");
    require(failure.fingerprint().matches("[0-9a-f]{32}"), "the fingerprint is 32 digits");
    require(failure.title().length() <= ErrorTitle.MAX_LENGTH, "the title is short");
    require(failure.title().chars().noneMatch(Character::isISOControl), "the title is one line");
    require(failure.evidence().length() <= text.length() + 100, "the evidence is of the text");
    Integer status = failure.httpStatus();
    require(status == null || (status >= 400 && status <= 599), "the status is one of an error");
    require(within(Optional.ofNullable(failure.retryAfter())), "the hint is within its bounds");
  }

  /** Lines with a colon are headers, up to the first empty line. */
  private static void hints(String text) {
    int end = text.indexOf("\n\n");
    Map<String, List<String>> headers = new TreeMap<>();
    for (String line : text.substring(0, Math.max(0, end)).split("\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        headers
            .computeIfAbsent(line.substring(0, colon), _ -> new ArrayList<>())
            .add(line.substring(colon + 1));
      }
    }
    String body = text.substring(end < 0 ? 0 : end);
    Optional<Duration> hint = RetryHints.find(headers, body, NOW);
    require(within(hint), "the hint is within its bounds: " + hint);
    require(hint.equals(RetryHints.find(headers, body, NOW)), "the same hint twice");
    require(within(RetryHintParser.find(text)), "a hint of text is within its bounds");
  }

  private static boolean within(Optional<Duration> hint) {
    return hint.isEmpty() || (!hint.get().isNegative() && hint.get().compareTo(LONGEST_HINT) <= 0);
  }

  /** Each line is the message of a cause; every other one is suppressed by the one before. */
  private static void stackTraces(String text) {
    Throwable cause = null;
    for (String line : text.split("\n", 200)) {
      Throwable next = new IllegalStateException(line, cause);
      if (line.length() % 2 == 0) {
        next.setStackTrace(new StackTraceElement[0]);
      }
      cause = next;
    }
    ErrorReport report = ErrorReport.ofThrowable(cause == null ? new Error(text) : cause);
    require(report.text().indexOf('\0') < 0, "no NUL in a stack trace");
    require(report.text().length() <= 2 * text.length() + 1_000_000, "a stack trace is bounded");
    holds(Classifier.standard().classify(report), report.text());
    classifier(text);
  }
}
