package dev.holdfast.failure;

import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;

/** Finds the exit code a text states: "exit code 137", "exit status 2", {@code "ExitCode": 137}. */
final class ExitCodeFinder {
  private static final GuardedPattern EXIT =
      GuardedPattern.of(
          "(?i)\\b(?:exit(?:ed|s)?|terminated|finished|failed|returned|died)?[ _-]?(?:with )?(?:an?"
              + " )?(?:non-?zero )?(?:exit|return|returned)[ _-]?(?:code|status|value)?[\"']?"
              + "(?:\\s{0,3}(?:of|is|was))?\\s{0,3}[:=]?\\s{0,3}(-?\\d{1,10})\\b(?!\\.\\d)|(?i:\\b(?:exited|terminated|finished|died|quit)"
              + " (?:with )?(?:code|status|value)[:=]?\\s{0,3}(-?\\d{1,10})\\b)",
          "exit",
          "return",
          "terminated ",
          "finished ",
          "died ",
          "quit ");

  /** The expressions that are not always tried. */
  static final List<GuardedPattern> GUARDED = List.of(EXIT);

  private ExitCodeFinder() {}

  static OptionalInt find(String text) {
    Matcher matcher = EXIT.matcher(text, LiteralIndex.fold(text));
    while (matcher.find()) {
      String digits = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
      long code = Long.parseLong(digits);
      if (code != 0 && code != 1 && code == (int) code) {
        return OptionalInt.of((int) code);
      }
    }
    return OptionalInt.empty();
  }
}
