package dev.holdfast.tool.patch;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A code fence that was opened, and which of the fences after it closes it. */
final class OpenFence {
  /** Its groups: the indent, the mark, and what stands after it. */
  static final Pattern LINE = Pattern.compile("^([ \\t]*)(`{3,}|~{3,})([^`]*)$");

  /**
   * An indent as in a list or a comment in code; no closing fence of the answer is indented so far.
   */
  private static final Pattern DEEP = Pattern.compile("(?: {4}| *\\t).*");

  private static final Pattern MARKDOWN = Pattern.compile("(?i).*\\.(?:md|mdx|markdown|mdc)");

  private final String indent;
  private final String mark;
  private final boolean named;
  private final boolean markdown;
  private int depth;

  /**
   * @param label the file that its content is
   */
  OpenFence(String indent, String mark, Optional<String> label) {
    this.indent = indent;
    this.mark = mark;
    this.markdown = label.map(OpenFence::isMarkdown).orElse(false);
    this.named = label.isPresent();
  }

  /** True for a file whose own text has fences. */
  static boolean isMarkdown(String path) {
    return MARKDOWN.matcher(path).matches();
  }

  /** Returns a line of the content without the indent that all of it has. */
  String inside(String line) {
    return line.startsWith(indent) ? line.substring(indent.length()) : line;
  }

  /**
   * True if a line closes the fence. It is called for each line in turn, because a file may have
   * fences of its own.
   */
  boolean isClosedBy(String line) {
    Matcher fence = LINE.matcher(line);
    if (!fence.matches() || !fence.group(2).startsWith(mark)) {
      return false;
    }
    boolean opens = !fence.group(3).isBlank();
    boolean isDeep = DEEP.matcher(inside(line)).matches();
    if (isDeep && !(markdown && (opens || depth > 0))) {
      return false;
    }
    if (opens) {
      depth += named ? 1 : 0;
      return false;
    }
    return depth-- == 0;
  }
}
