package dev.holdfast.repair.git;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds a rebase or bisect that is under way. HEAD is detached during it, and at its end git needs
 * the branch to be where it left it.
 */
final class BranchInUse {
  /** The files that hold names of branches, each on a line of its own. */
  private static final List<String> FILES =
      List.of(
          "rebase-merge/head-name",
          "rebase-merge/update-refs",
          "rebase-apply/head-name",
          "BISECT_START");

  private BranchInUse() {}

  /** Returns the git directory of the checkout in which a branch is rebased or bisected. */
  static Optional<Path> in(GitDirectory original, String branch)
      throws IOException, InterruptedException {
    Path common =
        Path.of(original.checked("rev-parse", "--path-format=absolute", "--git-common-dir"));
    for (Path directory : checkouts(common)) {
      for (String name : FILES) {
        Path file = directory.resolve(name);
        if (Files.isRegularFile(file) && names(file, branch)) {
          return Optional.of(directory);
        }
      }
    }
    return Optional.empty();
  }

  private static List<Path> checkouts(Path common) throws IOException {
    List<Path> all = new ArrayList<>(List.of(common));
    Path linked = common.resolve("worktrees");
    if (Files.isDirectory(linked)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(linked)) {
        entries.forEach(all::add);
      }
    }
    return all;
  }

  private static boolean names(Path file, String branch) throws IOException {
    String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    return text.lines()
        .anyMatch(line -> line.equals(branch) || line.equals(ResultBranches.HEADS + branch));
  }
}
