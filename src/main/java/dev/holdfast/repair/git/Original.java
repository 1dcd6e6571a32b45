package dev.holdfast.repair.git;

import dev.holdfast.process.ClosedDirectory;
import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import dev.holdfast.tool.git.GitResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A repository of somebody else.
 *
 * @param path of the git directory that its checkouts share
 * @param format of its ids
 */
record Original(GitDirectory directory, String path, String format) {
  /** The words of git where neither a directory nor one above it is a repository. */
  private static final String NONE_THERE = "not a git repository (or any";

  /**
   * Returns the original at a path; does not look further up.
   *
   * @throws RepositoryException if there is none
   */
  static Original at(Git git, Path path) throws IOException, InterruptedException {
    Optional<String> hidden = ClosedDirectory.hides(path, "its host");
    if (hidden.isPresent()) {
      throw new RepositoryException(
          "the directory " + hidden.get() + " or correct repository.path");
    }
    if (!Files.isDirectory(path)) {
      throw new RepositoryException(
          "there is no directory " + path + " on the worker's host: correct repository.path");
    }
    GitDirectory original = new GitDirectory(new OfflineGit(git), path.toRealPath());
    GitCommand ask =
        original.command(
            "rev-parse", "--show-object-format", "--path-format=absolute", "--git-common-dir");
    GitResult known = original.run(ask);
    if (!known.isSuccess()) {
      throw unreadable(path, known);
    }
    int end = known.stdout().indexOf('\n');
    return new Original(
        original,
        known.stdout().substring(end + 1, known.stdout().length() - 1),
        known.stdout().substring(0, end));
  }

  /** Makes the error; one that git has found, but cannot read, is not said to be none. */
  private static RepositoryException unreadable(Path path, GitResult known) {
    return new RepositoryException(
        known.stderr().contains(NONE_THERE)
            ? path + " is no git repository: name the root of a checkout or a bare repository"
            : "git cannot read the repository %s (%s): mend it, or correct repository.path"
                .formatted(path, known.stderr().strip()));
  }
}
