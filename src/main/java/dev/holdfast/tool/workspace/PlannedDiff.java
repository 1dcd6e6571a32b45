package dev.holdfast.tool.workspace;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.patch.ChangeDelta;
import com.github.difflib.patch.Chunk;
import com.github.difflib.patch.Patch;
import dev.holdfast.process.Utf8;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** The diff of a planned change of a file, for people; bounded. */
final class PlannedDiff {
  private static final int MAX_BYTES = 1 << 20;
  private static final int MAX_LINES = 400;
  private static final int CONTEXT = 3;

  /**
   * The most changed lines, because finding the fewest changes takes the square of their number.
   */
  private static final int MAX_CHANGED = 4000;

  private PlannedDiff() {}

  /** Makes a diff between the present and the planned content of a file of the workspace. */
  static String of(Workspace workspace, String path, String changed)
      throws IOException, InterruptedException {
    byte[] old;
    try (SeekableByteChannel channel = workspace.open(path);
        InputStream in = Channels.newInputStream(channel)) {
      old = in.readNBytes(MAX_BYTES + 1);
    } catch (NoSuchFileException e) {
      return between("/dev/null", "", "b/" + path, changed);
    }
    if (old.length > MAX_BYTES || changed.length() > MAX_BYTES) {
      return "replaces " + path + ", which is too large to be shown";
    }
    try {
      String text = Utf8.strictly(old);
      return between("a/" + path, text, "b/" + path, changed);
    } catch (CharacterCodingException e) {
      return "replaces " + path + ", which is no text now";
    }
  }

  private static String between(String oldName, String old, String newName, String changed) {
    List<String> before = lines(old);
    List<String> diff =
        UnifiedDiffUtils.generateUnifiedDiff(
            oldName, newName, before, changes(before, lines(changed)), CONTEXT);
    if (diff.isEmpty()) {
      return "changes nothing in " + newName.substring(2);
    }
    String shown = String.join("\n", diff.subList(0, Math.min(MAX_LINES, diff.size())));
    return diff.size() <= MAX_LINES
        ? shown
        : shown + "\n[... " + (diff.size() - MAX_LINES) + " more lines]";
  }

  /**
   * Returns the fewest changes; where too many lines may be changed, one change that covers them
   * all.
   */
  private static Patch<String> changes(List<String> before, List<String> after) {
    int shorter = Math.min(before.size(), after.size());
    int start = 0;
    while (start < shorter && before.get(start).equals(after.get(start))) {
      start++;
    }
    int end = 0;
    while (end < shorter - start
        && before.get(before.size() - 1 - end).equals(after.get(after.size() - 1 - end))) {
      end++;
    }
    List<String> gone = before.subList(start, before.size() - end);
    List<String> come = after.subList(start, after.size() - end);
    if (gone.size() + come.size() <= MAX_CHANGED) {
      return DiffUtils.diff(before, after);
    }
    Patch<String> all = new Patch<>(1);
    all.addDelta(new ChangeDelta<>(new Chunk<>(start, gone), new Chunk<>(start, come)));
    return all;
  }

  private static List<String> lines(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split("\n", -1));
  }
}
