package dev.holdfast.tool.patch;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a patch to one file.
 *
 * @param oldPath relative, without prefix; of a new file the same as newPath
 * @param newPath of a deleted file the same as oldPath
 * @param oldMode as in the patch, or null
 * @param newMode of a new file its mode; otherwise set only where the mode changes
 * @param binary the lines of a git binary patch, with its first; empty for text
 */
record FileDiff(
    Operation operation,
    String oldPath,
    String newPath,
    @Nullable String oldMode,
    @Nullable String newMode,
    List<String> binary,
    List<Hunk> hunks) {
  enum Operation {
    MODIFY,
    CREATE,
    DELETE,
    RENAME,
    COPY
  }

  FileDiff {
    binary = List.copyOf(binary);
    hunks = List.copyOf(hunks);
  }

  FileDiff withHunks(List<Hunk> others) {
    return new FileDiff(operation, oldPath, newPath, oldMode, newMode, binary, others);
  }

  int added() {
    return hunks.stream().mapToInt(Hunk::added).sum();
  }

  int removed() {
    return hunks.stream().mapToInt(Hunk::removed).sum();
  }

  /** True if git would take the result for a binary file. */
  boolean addsNul() {
    return hunks.stream()
        .flatMap(hunk -> hunk.lines().stream())
        .anyMatch(line -> line.startsWith("+") && line.indexOf('\0') > 0);
  }

  /** True for headers alone, or for hunks that add the same lines that they remove (E44). */
  boolean isNoOp() {
    return operation == Operation.MODIFY
        && newMode == null
        && binary.isEmpty()
        && hunks.stream().allMatch(Hunk::isNoOp);
  }

  SortedSet<String> paths() {
    return new TreeSet<>(List.of(oldPath, newPath));
  }

  /** Returns the text as git writes it, whatever headers were given; every line has a line feed. */
  String text() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "diff --git %s %s"
            .formatted(QuotedPath.quoted("a/" + oldPath), QuotedPath.quoted("b/" + newPath)));
    switch (operation) {
      case CREATE -> lines.add("new file mode " + (newMode == null ? "100644" : newMode));
      case DELETE -> lines.add("deleted file mode " + (oldMode == null ? "100644" : oldMode));
      case RENAME -> moved(lines, "rename");
      case COPY -> moved(lines, "copy");
      case MODIFY -> modes(lines);
    }
    if (!hunks.isEmpty()) {
      boolean isNew = operation == Operation.CREATE;
      boolean isDeleted = operation == Operation.DELETE;
      lines.add("--- " + (isNew ? QuotedPath.NONE : QuotedPath.quoted("a/" + oldPath)));
      lines.add("+++ " + (isDeleted ? QuotedPath.NONE : QuotedPath.quoted("b/" + newPath)));
    }
    for (Hunk hunk : hunks) {
      lines.add(hunk.header().text());
      lines.addAll(hunk.lines());
    }
    lines.addAll(binary);
    return String.join("\n", lines) + "\n";
  }

  private void moved(List<String> lines, String what) {
    modes(lines);
    lines.add(what + " from " + QuotedPath.quoted(oldPath));
    lines.add(what + " to " + QuotedPath.quoted(newPath));
  }

  private void modes(List<String> lines) {
    if (newMode != null) {
      lines.add("old mode " + (oldMode == null ? "100644" : oldMode));
      lines.add("new mode " + newMode);
    }
  }
}
