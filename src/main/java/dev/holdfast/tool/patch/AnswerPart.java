package dev.holdfast.tool.patch;

/** A piece of a model's answer that says how files are to change. */
sealed interface AnswerPart {
  /**
   * @param fenced whether it stood in a code fence, where no prose is
   * @param cutOff whether the answer ended before the fence did
   */
  record Diff(String text, boolean fenced, boolean cutOff) implements AnswerPart {}

  /**
   * @param content with a line feed behind every line
   */
  record WholeFile(String path, String content, boolean cutOff) implements AnswerPart {}

  /**
   * @param search whole lines, each with a line feed; empty for a new file
   * @param replace the same
   */
  record Edit(String path, String search, String replace) implements AnswerPart {}
}
