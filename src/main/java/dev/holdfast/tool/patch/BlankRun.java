package dev.holdfast.tool.patch;

import java.util.function.IntPredicate;

/** Finds the ends of runs of blank lines, and looks at each line once only. */
final class BlankRun {
  private final int size;
  private final IntPredicate isBlank;
  private int from = -1;
  private int end = -1;

  /**
   * @param size the number of lines
   * @param isBlank of the line at an index
   */
  BlankRun(int size, IntPredicate isBlank) {
    this.size = size;
    this.isBlank = isBlank;
  }

  /**
   * Returns the index of the first line at or after a place that is not blank; the size if all are.
   */
  int behind(int at) {
    if (at < from || at > end) {
      from = at;
      end = at;
      while (end < size && isBlank.test(end)) {
        end++;
      }
    }
    return end;
  }
}
