package dev.holdfast.tool.patch;

import java.util.ArrayList;
import java.util.List;

/** Says why a text was not found exactly once in a file, so that the next try can be right. */
public final class NearestMatch {
  private static final int MAX_SHOWN = 40;
  private static final int MAX_COMPARED = 200;

  private NearestMatch() {}

  /** Makes the text for a search text that is not in the file. */
  public static String notFound(String path, String text, String search) {
    String start = "The search text is not in " + path + ". ";
    if (onlyEndsDiffer(text, search)) {
      return start
          + "Its lines are, but the file mixes \\n and \\r\\n: take a search text within one line.";
    }
    return start + nearest(text.lines().toList(), search.lines().toList());
  }

  /**
   * True if only the line ends differ. Where a file has one kind of them, the callers use that kind
   * before they search.
   */
  private static boolean onlyEndsDiffer(String text, String search) {
    return text.contains("\r\n")
        && !text.contains(search)
        && BlockEdits.place(text.replace("\r\n", "\n"), search.replace("\r\n", "\n"), 0) >= 0;
  }

  /** Makes the text for a search text that is there more than once. */
  public static String ambiguous(String path, String text, String search) {
    List<Integer> lines = new ArrayList<>();
    for (int at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + 1)) {
      if (lines.size() == MAX_SHOWN) {
        break;
      }
      lines.add(lineOf(text, at));
    }
    return ("The search text occurs more than once in %s, at lines %s. Take in the lines around"
            + " the one you mean.")
        .formatted(path, lines);
  }

  /** Returns the number of the line at an index, from 1. */
  public static int lineOf(String text, int at) {
    return (int) text.substring(0, at).chars().filter(c -> c == '\n').count() + 1;
  }

  private static String nearest(List<String> lines, List<String> wanted) {
    int best = place(lines, wanted);
    return best < 0
        ? "Nothing in the file is like it: read the file again."
        : shown(lines, best, wanted);
  }

  /**
   * Returns the index of the line where most of the wanted lines are the same except for the spaces
   * around them; -1 if nothing is alike.
   */
  static int place(List<String> lines, List<String> wanted) {
    int best = 0;
    int bestScore = 0;
    List<String> compared = wanted.stream().limit(MAX_COMPARED).map(String::strip).toList();
    List<String> stripped = stripped(lines);
    for (int i = 0; i < stripped.size(); i++) {
      int score = 0;
      for (int j = 0; j < compared.size() && i + j < stripped.size(); j++) {
        score += score(stripped.get(i + j), compared.get(j));
      }
      if (score > bestScore) {
        best = i;
        bestScore = score;
      }
    }
    return bestScore == 0 ? -1 : best;
  }

  /**
   * Scores two lines: equal ones most, otherwise by the part at their beginning that is the same.
   */
  private static int score(String line, String wanted) {
    if (wanted.isEmpty() || line.isEmpty()) {
      return 0;
    }
    if (line.equals(wanted)) {
      return 4;
    }
    int same = 0;
    while (same < Math.min(line.length(), wanted.length())
        && line.charAt(same) == wanted.charAt(same)) {
      same++;
    }
    return 3 * same / Math.max(line.length(), wanted.length());
  }

  private static String shown(List<String> lines, int from, List<String> wanted) {
    List<String> there = lines.subList(from, Math.min(lines.size(), from + wanted.size()));
    List<String> part = there.subList(0, Math.min(there.size(), MAX_SHOWN));
    String spaces =
        !there.equals(wanted) && stripped(there).equals(stripped(wanted))
            ? " and differs in spaces only"
            : "";
    return "The nearest text is at line " + (from + 1) + spaces + ":\n" + String.join("\n", part);
  }

  private static List<String> stripped(List<String> lines) {
    return lines.stream().map(String::strip).toList();
  }
}
