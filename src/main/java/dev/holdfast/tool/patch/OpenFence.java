package dev.holdfast.tool.patch;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A code fence that was opened, and which of the fences behind it closes it. */
final class OpenFence {
  /** Its groups: the indent, the mark, and what stands behind it. */
  static final Pattern LINE = Pattern.compile("^([ \\t]*)(`{3,}|~{3,})([^`]*)$");

  private static final Pattern MARKDOWN = Pattern.compile("(?i).*\\.(?:md|mdx|markdown|mdc)");

  private final String indent;
  private final String mark;
  private final boolean nests;
  private final boolean markdown;
  private int depth;

  /**
   * @param label the file that its content is
   */
  OpenFence(String indent, String mark, Optional<String> label) {
    this.indent = indent;
    this.mark = mark;
    this.markdown = label.map(path -> MARKDOWN.matcher(path).matches()).orElse(false);
    this.nests = markdown;
  }

  /** A line of the content, without the indent that all of it has. */
  String inside(String line) {
    return line.startsWith(indent) ? line.substring(indent.length()) : line;
  }

  /** Asked for each line in turn, for a file may have fences of its own. */
  boolean isClosedBy(String line) {
    Matcher fence = LINE.matcher(line);
    if (!fence.matches() || !fence.group(2).startsWith(mark)) {
      return false;
    }
    if (!fence.group(3).isBlank()) {
      depth += nests ? 1 : 0;
      return false;
    }
    return depth-- == 0;
  }
}
