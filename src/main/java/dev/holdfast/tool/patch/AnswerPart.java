package dev.holdfast.tool.patch;

import java.util.List;

/** A piece of a model's answer that says how files are to change. */
sealed interface AnswerPart {
  /**
   * @param fenced whether it stood in a code fence, where no prose is
   * @param cutOff whether the answer ended before the fence did; without a fence, whether it ended
   *     in a changed line without a line feed
   */
  record Diff(String text, boolean fenced, boolean cutOff) implements AnswerPart {}

  /**
   * @param content with a line feed after every line
   */
  record WholeFile(String path, String content, boolean cutOff) implements AnswerPart {}

  /**
   * @param search whole lines, each with a line feed; empty for a new file
   * @param replace the same
   */
  record Edit(String path, String search, String replace) implements AnswerPart {}

  /**
   * @param anchors lines above it, without the spaces around them, from the top
   * @param search whole lines, each with a line feed
   * @param replace the same
   * @param last whether it is the end of the file
   */
  record Chunk(String path, List<String> anchors, String search, String replace, boolean last)
      implements AnswerPart {
    public Chunk {
      anchors = List.copyOf(anchors);
    }
  }

  /** A file that must not exist yet. */
  record NewFile(String path, String content) implements AnswerPart {}

  record Deletion(String path) implements AnswerPart {}
}
