package dev.holdfast.repair.verify;

import dev.holdfast.failure.Sha256;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A hash of what failed and how, equal for equal failures of different runs, worktrees and machines
 * (E23). Left out: times, durations, directories, line numbers of code, addresses, ids, ports,
 * process numbers, colours and the order of tests.
 */
final class FailureSignature {
  /** The number of lines at the beginning and the end of an output that count. */
  private static final int EDGE = 100;

  /** The number of characters that count at the beginning of a message whose end is cut. */
  private static final int BEGINNING = 1000;

  private record Step(Pattern pattern, String replacement) {
    Step(String regex, String replacement) {
      this(Pattern.compile(regex), replacement);
    }
  }

  /** One part of a duration; 1h 2m 3.5s has three. */
  private static final String DURATION =
      "\\d+(?:[.,]\\d+)? ?(?:hours?|minutes?|mins?|millis(?:econds)?|seconds?|secs?|ns|µs|us|ms"
          + "|h|m|s)";

  private static final List<Step> STEPS =
      List.of(
          new Step("\u001b\\[[0-9;?]*[A-Za-z]", ""),
          new Step("\\[\\.\\.\\. \\d+ of \\d+ bytes cut here \\.\\.\\.]", "<cut>"),
          new Step(
              "(?i)\\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\b", "<id>"),
          new Step(
              "\\b\\d{4}[-/]\\d{2}[-/]\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?)?"
                  + "(?:Z|[+-]\\d{2}:?\\d{2})?",
              "<time>"),
          new Step(
              "\\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\\d{1,2}"
                  + " )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*(?: \\d{1,2})?(?:"
                  + " \\d{4})?",
              "<time>"),
          new Step("\\b\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d+)?(?: ?[AP]M)?\\b", "<time>"),
          new Step("\\b1[5-9]\\d{8}(?:\\d{3}){0,3}\\b", "<time>"),
          new Step("(?i)(?<![\\w.])" + DURATION + "(?: ?" + DURATION + "){0,4}\\b", "<duration>"),
          new Step(
              "(?i)\\b((?:duration|elapsed|time|took)\\w*[ \"':=]+)\\d+(?:[.,]\\d+)?",
              "$1<duration>"),
          new Step(
              "(?<![\\w/.-])/(?:private/)?(?:tmp|var/tmp|var/folders|dev/shm|run/user)/[^\\s\"'<>:;,)\\]]*",
              "<tmp>"),
          new Step("\\b0x[0-9a-fA-F]+\\b", "<address>"),
          new Step("(?<=[\\w$\\])])@[0-9a-f]{4,16}\\b", "@<address>"),
          new Step(
              "(?i)\\b(port[ :=]+|localhost:|127\\.0\\.0\\.1:|\\[::1]:|0\\.0\\.0\\.0:)\\d{2,5}\\b",
              "$1<port>"),
          new Step("(?i)\\b(pid[ :=]+|process[ :=]+|thread[- #]|worker[- #])\\d+\\b", "$1<n>"),
          new Step("==\\d+==", "==<n>=="),
          new Step("(\\.[A-Za-z]{1,5}):\\d+(?::\\d+)?", "$1:<line>"),
          new Step("(?i)\\bline \\d+", "line <line>"),
          new Step("[ \\t]+", " "));

  private FailureSignature() {}

  /**
   * @param directory of the worktree, as the outputs have it
   * @return sha-256 in lower-case hex; empty if nothing failed
   */
  static Optional<String> of(List<CheckRun> runs, String directory) {
    StringBuilder text = new StringBuilder();
    for (CheckRun run : runs) {
      if (!run.passed()) {
        text.append("command ").append(run.name()).append('\n');
        run.failing().stream()
            .map(check -> counted(run, check, directory))
            .distinct()
            .sorted()
            .forEach(check -> text.append("check ").append(check).append('\n'));
        if (run.tests() == 0 || run.failing().stream().anyMatch(check -> isItself(run, check))) {
          text.append(normalised(edges(run.output()), directory)).append('\n');
        }
      }
    }
    return text.isEmpty() ? Optional.empty() : Optional.of(Sha256.hex(text.toString()));
  }

  /**
   * Returns what counts of a check. A cut message counts only up to a fixed length, because the
   * place of the cut depends on how long the times and places in it are.
   */
  private static String counted(CheckRun run, FailingCheck check, String directory) {
    if (isItself(run, check)) {
      return normalised(check.name(), directory);
    }
    String text = normalised(check.name() + "\n" + check.message(), directory);
    return CommandRun.isCut(check.message()) && text.length() > BEGINNING
        ? text.substring(0, BEGINNING)
        : text;
  }

  /**
   * True if the check is the command itself and none of its tests. Its message is the end of the
   * output, which counts separately.
   */
  private static boolean isItself(CheckRun run, FailingCheck check) {
    return check.name().equals(run.end());
  }

  /** Returns what counts of a text. Visible for tests. */
  static String normalised(String text, String directory) {
    String plain = directory.isEmpty() ? text : text.replace(directory, "<root>");
    for (Step step : STEPS) {
      plain = step.pattern().matcher(plain).replaceAll(step.replacement());
    }
    StringBuilder lines = new StringBuilder();
    plain
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .forEach(line -> lines.append(line).append('\n'));
    return lines.toString().strip();
  }

  private static String edges(String output) {
    List<String> lines = output.lines().toList();
    if (lines.size() <= 2 * EDGE) {
      return output;
    }
    return String.join("\n", lines.subList(0, EDGE))
        + "\n"
        + String.join("\n", lines.subList(lines.size() - EDGE, lines.size()));
  }
}
