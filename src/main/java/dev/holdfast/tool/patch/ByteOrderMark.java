package dev.holdfast.tool.patch;

import dev.holdfast.process.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Handles the mark that some editors put before a file's first line. Nobody sees it, so models
 * leave it out. It is ignored when a patch is compared with the file, and kept in the file.
 */
final class ByteOrderMark {
  private ByteOrderMark() {}

  /**
   * Puts the mark on the first line of the hunks, where the first hunk begins there without it.
   *
   * @param content of the file as it is
   */
  static List<Hunk> adapt(List<Hunk> hunks, byte[] content) {
    String text = new String(content, StandardCharsets.UTF_8);
    if (hunks.isEmpty() || !text.startsWith(Utf8.MARK) || !isAtBeginning(hunks.getFirst(), text)) {
      return hunks;
    }
    List<Hunk> adapted = new ArrayList<>(hunks);
    adapted.set(0, marked(hunks.getFirst()));
    return adapted;
  }

  private static boolean isAtBeginning(Hunk hunk, String text) {
    List<String> before = hunk.before().stream().filter(line -> !line.equals("\\")).toList();
    String lines = String.join("\n", before);
    String rest = Utf8.withoutMark(text);
    boolean fits = !before.isEmpty() && (rest.equals(lines) || rest.startsWith(lines + "\n"));
    // The same lines may occur again below, and the patch may mean those.
    return fits && (hunk.header().oldStart() <= 1 || !text.contains("\n" + lines));
  }

  /** Moves the mark from the first line of the old side to the first line of the new one. */
  private static Hunk marked(Hunk hunk) {
    List<String> lines = new ArrayList<>();
    boolean before = true;
    boolean after = true;
    for (String line : hunk.lines()) {
      char side = line.isEmpty() ? ' ' : line.charAt(0);
      String text = line.isEmpty() ? "" : line.substring(1);
      boolean removed = before && (side == ' ' || side == '-');
      boolean added = after && (side == ' ' || side == '+');
      if (side == ' ' && removed != added) {
        lines.add("-" + (removed ? Utf8.MARK : "") + text);
        lines.add("+" + (added ? Utf8.MARK : "") + text);
      } else {
        lines.add(removed || added ? side + Utf8.MARK + text : line);
      }
      before &= !removed;
      after &= !added;
    }
    return hunk.withLines(lines);
  }
}
