package dev.holdfast.web.console;

import java.util.ArrayList;
import java.util.List;

/** The difference between two short texts, line by line. */
final class LineChanges {
  private static final int MOST_LINES = 2_000;

  private LineChanges() {}

  /** A longest common subsequence; texts of more lines than that are shown one after the other. */
  static List<Diff.Line> between(String before, String after) {
    List<String> old = before.lines().toList();
    List<String> now = after.lines().toList();
    if (old.size() > MOST_LINES || now.size() > MOST_LINES) {
      List<Diff.Line> all = new ArrayList<>();
      old.forEach(line -> all.add(line(Diff.Kind.REMOVED, "-", line)));
      now.forEach(line -> all.add(line(Diff.Kind.ADDED, "+", line)));
      return all;
    }
    return walk(old, now, common(old, now));
  }

  /** How many lines two tails have in common. */
  private static int[][] common(List<String> old, List<String> now) {
    int[][] common = new int[old.size() + 1][now.size() + 1];
    for (int i = old.size() - 1; i >= 0; i--) {
      for (int j = now.size() - 1; j >= 0; j--) {
        common[i][j] =
            old.get(i).equals(now.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    return common;
  }

  private static List<Diff.Line> walk(List<String> old, List<String> now, int[][] common) {
    List<Diff.Line> lines = new ArrayList<>();
    int i = 0;
    int j = 0;
    while (i < old.size() || j < now.size()) {
      if (i < old.size() && j < now.size() && old.get(i).equals(now.get(j))) {
        lines.add(line(Diff.Kind.SAME, " ", old.get(i)));
        i++;
        j++;
      } else if (j == now.size() || (i < old.size() && common[i + 1][j] >= common[i][j + 1])) {
        lines.add(line(Diff.Kind.REMOVED, "-", old.get(i)));
        i++;
      } else {
        lines.add(line(Diff.Kind.ADDED, "+", now.get(j)));
        j++;
      }
    }
    return lines;
  }

  private static Diff.Line line(Diff.Kind kind, String sign, String text) {
    return new Diff.Line(kind, sign + text);
  }
}
