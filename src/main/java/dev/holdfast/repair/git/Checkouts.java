package dev.holdfast.repair.git;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Finds the directory that has a branch checked out. */
final class Checkouts {
  private static final String PLACE = "worktree ";

  private Checkouts() {}

  /** Returns the directory; empty where none has the branch, or the one that had it was deleted. */
  static Optional<Path> of(GitDirectory original, String branch)
      throws IOException, InterruptedException {
    String list = original.checked("worktree", "list", "--porcelain", "-z");
    String wanted = "branch " + ResultBranches.HEADS + branch;
    boolean first = true;
    for (String entry : list.split("\0\0", -1)) {
      List<String> lines = List.of(entry.split("\0", -1));
      if (lines.contains(wanted) && lines.stream().noneMatch(Checkouts::saysNoFiles)) {
        return Optional.of(
            first && isMain(original)
                ? original.directory()
                : Path.of(lines.getFirst().substring(PLACE.length())));
      }
      first = false;
    }
    return Optional.empty();
  }

  private static boolean saysNoFiles(String line) {
    return line.equals("bare") || line.startsWith("prunable");
  }

  /**
   * True for a checkout that is not linked to another one. Where its git directory is elsewhere, as
   * a submodule's is, git lists that directory instead.
   */
  private static boolean isMain(GitDirectory checkout) throws IOException, InterruptedException {
    String[] directories =
        checkout
            .checked("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir")
            .split("\n", -1);
    return directories[0].equals(directories[1]);
  }
}
