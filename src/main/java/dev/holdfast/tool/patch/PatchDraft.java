package dev.holdfast.tool.patch;

import dev.holdfast.tool.patch.FileDiff.Operation;
import dev.holdfast.tool.patch.PatchResult.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** The changes of one answer, as they were read; {@link #check} refuses what no patch may do. */
record PatchDraft(List<FileDiff> files) {
  private static final Set<String> FILE_MODES = Set.of("100644", "100755", "100664");

  /** The longest patch. Git's output is not kept for a longer one, so nobody could read it. */
  private static final int MAX_CHARS = 8 << 20;

  PatchDraft {
    files = List.copyOf(files);
  }

  SortedSet<String> paths() {
    SortedSet<String> paths = new TreeSet<>();
    files.forEach(file -> paths.addAll(file.paths()));
    return paths;
  }

  int added() {
    return files.stream().mapToInt(FileDiff::added).sum();
  }

  int removed() {
    return files.stream().mapToInt(FileDiff::removed).sum();
  }

  /** Returns the patch without the files that stay as they are. */
  PatchDraft changing() {
    return new PatchDraft(files.stream().filter(file -> !file.isNoOp()).toList());
  }

  String text() {
    StringBuilder text = new StringBuilder();
    files.forEach(file -> text.append(file.text()));
    return text.toString();
  }

  PatchDraft check(PatchTarget target, PatchLimits limits) throws PatchRejection {
    for (FileDiff file : files) {
      for (String path : file.paths()) {
        target.check(path);
      }
      checkModes(file, limits);
      checkMarkers(file);
      if (!file.binary().isEmpty() && !limits.allowBinary()) {
        throw PatchRejection.unsafe(
            file.newPath()
                + " is patched as binary, which only a design with patch.allow_binary allows:"
                + " change text only.");
      }
      if (file.addsNul() && !limits.allowBinary()) {
        throw PatchRejection.unsafe(
            file.newPath()
                + " would have a NUL character, which makes it a binary file: leave it out.");
      }
    }
    checkSize(limits);
    return this;
  }

  private void checkSize(PatchLimits limits) throws PatchRejection {
    // A renamed file is one file, though it has two paths.
    long count = files.stream().map(FileDiff::newPath).distinct().count();
    if (count > limits.maxFiles()) {
      throw tooLarge(count + " files", limits.maxFiles() + " files");
    }
    int lines = added() + removed();
    if (lines > limits.maxLines()) {
      throw tooLarge(lines + " lines", limits.maxLines() + " lines");
    }
    if (text().length() > MAX_CHARS) {
      throw tooLong();
    }
  }

  static PatchRejection tooLong() {
    return new PatchRejection(
        Kind.TOO_LARGE,
        "With the lines around it the patch is larger than 8 MiB: leave lines alone that are next"
            + " to one so long. Nothing was changed.");
  }

  private static PatchRejection tooLarge(String size, String limit) {
    return new PatchRejection(
        Kind.TOO_LARGE,
        ("The patch changes %s, the limit is %s: change only what the goal needs. Nothing"
                + " was changed.")
            .formatted(size, limit));
  }

  private static void checkModes(FileDiff file, PatchLimits limits) throws PatchRejection {
    List<String> modes = new ArrayList<>();
    if (file.oldMode() != null) {
      modes.add(file.oldMode().strip());
    }
    if (file.newMode() != null) {
      modes.add(file.newMode().strip());
    }
    for (String mode : modes) {
      if (mode.equals("120000")) {
        throw PathSafety.unsafe(file.newPath(), "would be a symbolic link");
      }
      if (mode.equals("160000")) {
        throw PathSafety.unsafe(file.newPath(), "would be a submodule");
      }
      if (!FILE_MODES.contains(mode)) {
        throw PathSafety.unsafe(file.newPath(), "has the mode " + mode + ", not 100644 or 100755");
      }
    }
    boolean changes = file.operation() != Operation.CREATE && file.newMode() != null;
    if (changes && !limits.allowModeChanges()) {
      throw PathSafety.unsafe(
          file.newPath(), "would get another mode: leave out \"old mode\" and \"new mode\"");
    }
  }

  /** Refuses the markers of a merge that was never finished. */
  private static void checkMarkers(FileDiff file) throws PatchRejection {
    List<String> added =
        file.hunks().stream()
            .flatMap(hunk -> hunk.lines().stream())
            .filter(line -> line.startsWith("+"))
            .toList();
    boolean begins = added.stream().anyMatch(line -> line.startsWith("+<<<<<<< "));
    boolean ends = added.stream().anyMatch(line -> line.startsWith("+>>>>>>> "));
    if (begins && ends) {
      throw PatchRejection.malformed(
          "The patch adds merge conflict markers to " + file.newPath() + ": write the result.");
    }
  }
}
