package dev.holdfast.tool.patch;

import java.util.ArrayList;
import java.util.List;

/**
 * One hunk.
 *
 * @param lines with their first character, without line feeds; an exactly empty one is an empty
 *     line of context
 */
record Hunk(HunkHeader header, List<String> lines) {
  Hunk {
    lines = List.copyOf(lines);
  }

  int added() {
    return count('+');
  }

  int removed() {
    return count('-');
  }

  /** Returns the number of lines that it shows of the old file. */
  int oldLines() {
    return lines.size() - count('+') - count('\\');
  }

  int newLines() {
    return lines.size() - count('-') - count('\\');
  }

  /** True if it has fewer lines than its header says, so that git will call it corrupt. */
  boolean isShort() {
    return oldLines() < header.oldCount() || newLines() < header.newCount();
  }

  /** True if it leaves the file as it is. */
  boolean isNoOp() {
    return image('+').equals(image('-'));
  }

  /** Returns the lines that the file must have for the hunk to fit. */
  List<String> before() {
    return image('+');
  }

  Hunk withHeader(HunkHeader other) {
    return new Hunk(other, lines);
  }

  Hunk withLines(List<String> others) {
    return new Hunk(header, others);
  }

  /**
   * Returns the context with one side's lines. "No newline" marks stay, because they may differ.
   */
  private List<String> image(char without) {
    List<String> image = new ArrayList<>();
    char last = ' ';
    for (String line : lines) {
      char first = line.isEmpty() ? ' ' : line.charAt(0);
      char side = first == '\\' ? last : first;
      last = side;
      if (side != without) {
        image.add(first == '\\' ? "\\" : line.isEmpty() ? "" : line.substring(1));
      }
    }
    return image;
  }

  private int count(char first) {
    return (int) lines.stream().filter(l -> !l.isEmpty() && l.charAt(0) == first).count();
  }
}
