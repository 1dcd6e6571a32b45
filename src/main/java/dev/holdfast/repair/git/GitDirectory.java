package dev.holdfast.repair.git;

import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import dev.holdfast.tool.git.GitResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Git in one directory. */
record GitDirectory(Git git, Path directory) {
  /** Makes a command for which only this directory is the repository, and none above it. */
  GitCommand command(String... words) {
    return GitCommand.in(directory, words)
        .withVariable("GIT_CEILING_DIRECTORIES", String.valueOf(directory.getParent()));
  }

  /** Returns a directory inside. */
  GitDirectory in(String path) {
    return new GitDirectory(git, directory.resolve(path));
  }

  GitResult run(GitCommand command) throws IOException, InterruptedException {
    return git.run(command);
  }

  /**
   * @return what it printed, without the last line feed
   * @throws IOException if it fails, with what it says
   */
  String checked(GitCommand command) throws IOException, InterruptedException {
    GitResult result = git.run(command);
    if (!result.isSuccess()) {
      throw failure(command, result);
    }
    return result.stdout().endsWith("\n")
        ? result.stdout().substring(0, result.stdout().length() - 1)
        : result.stdout();
  }

  String checked(String... words) throws IOException, InterruptedException {
    return checked(command(words));
  }

  /** The commit that a revision is; empty if there is none. */
  Optional<String> commit(String revision) throws IOException, InterruptedException {
    GitResult result =
        git.run(
            command(
                "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"));
    return result.isSuccess() ? Optional.of(result.stdout().strip()) : Optional.empty();
  }

  static IOException failure(GitCommand command, GitResult result) {
    String said =
        result.exitCode() == GitResult.TIMED_OUT
            ? "it was stopped after " + command.timeout().toSeconds() + " s"
            : result.stderr().strip();
    return new IOException("git " + command.words().getFirst() + " failed: " + said);
  }
}
