package dev.holdfast.repair;

import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Shows the lines of a file that a failure names, with those around them, where the whole file is
 * too long.
 */
final class NamedLines {
  private static final int AROUND = 60;

  private NamedLines() {}

  /**
   * @param hints texts that name lines, as in {@code a.c:7}, {@code a.ts(7,1)} or {@code "a.py",
   *     line 7}
   * @param most characters
   * @return parts of the file in its order, each with its place; empty if no line is named or the
   *     first part is longer
   */
  static Optional<String> shown(String path, String content, String hints, int most) {
    List<String> lines = content.lines().toList();
    StringBuilder text = new StringBuilder();
    int shown = 0;
    for (int line : named(path, hints)) {
      int from = Math.max(shown, line - 1 - AROUND);
      int to = Math.min(lines.size(), line + AROUND);
      if (line > lines.size() || from >= to) {
        continue;
      }
      String part = part(lines, from, to, from > shown || text.isEmpty());
      if (text.length() + part.length() > most) {
        break;
      }
      text.append(part);
      shown = to;
    }
    return text.isEmpty() ? Optional.empty() : Optional.of(text.toString());
  }

  private static TreeSet<Integer> named(String path, String hints) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    TreeSet<Integer> named = new TreeSet<>();
    Pattern.compile(Pattern.quote(name) + "(?:\", line |:\\[?|\\()(\\d{1,7})")
        .matcher(hints)
        .results()
        .map(match -> Integer.valueOf(match.group(1)))
        .filter(line -> line > 0)
        .forEach(named::add);
    return named;
  }

  private static String part(List<String> lines, int from, int to, boolean begins) {
    String place = "(from line %s of %s)\n".formatted(from + 1, lines.size());
    return (begins ? place : "") + String.join("\n", lines.subList(from, to)) + "\n";
  }
}
