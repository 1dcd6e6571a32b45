package dev.holdfast.web.console.view;

import java.util.ArrayList;
import java.util.List;

/**
 * Marks what differs within lines. If as many lines are added as removed, each is compared with the
 * one in its place. If they have little in common nothing is marked, because all of it is new.
 */
final class ChangedParts {
  private ChangedParts() {}

  static List<Diff.Line> marked(List<Diff.Line> lines) {
    List<Diff.Line> marked = new ArrayList<>(lines);
    int at = 0;
    while (at < lines.size()) {
      int added = run(lines, at, Diff.Kind.REMOVED);
      int end = run(lines, added, Diff.Kind.ADDED);
      if (added > at && end - added == added - at) {
        for (int i = at; i < added; i++) {
          mark(marked, i, i + added - at);
        }
      }
      at = Math.max(end, at + 1);
    }
    return marked;
  }

  private static int run(List<Diff.Line> lines, int from, Diff.Kind kind) {
    int end = from;
    while (end < lines.size() && lines.get(end).kind() == kind) {
      end++;
    }
    return end;
  }

  /** Marks a line by code points, so that no character is cut in two. */
  private static void mark(List<Diff.Line> lines, int removed, int added) {
    int[] old = lines.get(removed).text().codePoints().toArray();
    int[] now = lines.get(added).text().codePoints().toArray();
    int shorter = Math.min(old.length, now.length);
    int start = 1; // after the sign
    while (start < shorter && old[start] == now[start]) {
      start++;
    }
    int tail = 0;
    while (tail < shorter - start && old[old.length - 1 - tail] == now[now.length - 1 - tail]) {
      tail++;
    }
    if (2 * (start - 1 + tail) >= shorter - 1) {
      lines.set(removed, marked(lines.get(removed), start, old.length - tail));
      lines.set(added, marked(lines.get(added), start, now.length - tail));
    }
  }

  private static Diff.Line marked(Diff.Line line, int start, int end) {
    String text = line.text();
    return line.marking(text.offsetByCodePoints(0, start), text.offsetByCodePoints(0, end));
  }
}
