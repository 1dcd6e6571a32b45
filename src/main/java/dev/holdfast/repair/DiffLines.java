package dev.holdfast.repair;

/** Counts what a unified diff adds and removes. */
final class DiffLines {
  private DiffLines() {}

  static int of(String diff) {
    int count = 0;
    boolean inHunk = false;
    for (String line : diff.lines().toList()) {
      if (line.startsWith("diff --git ")) {
        inHunk = false;
      } else if (line.startsWith("@@")) {
        inHunk = true;
      } else if (inHunk && (line.startsWith("+") || line.startsWith("-"))) {
        count++;
      }
    }
    return count;
  }
}
