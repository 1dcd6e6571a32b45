package dev.holdfast.repair.git;

import dev.holdfast.process.DirectoryTree;
import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A directory with the files of a tree, to be changed and verified: a worktree of a ticket's
 * repository. Git is told where the repository is and never asks the directory, whose {@code .git}
 * a verification could have changed. Used by one thread.
 */
public final class Worktree {
  private final GitDirectory files;
  private final Path gitDirectory;
  private String restored = "";

  /**
   * @param gitDirectory what the repository keeps about the worktree
   */
  Worktree(Git git, Path directory, Path gitDirectory) {
    this.files = new GitDirectory(git, directory);
    this.gitDirectory = gitDirectory;
  }

  /** Returns the repository of this worktree, which git in the directory reads. */
  public Path repository() throws IOException {
    return gitDirectory.resolve("../..").toRealPath();
  }

  /** Its real path. */
  public Path directory() {
    return files.directory();
  }

  /**
   * Returns the tree of the directory as it is now: tracked files and new ones that no {@code
   * .gitignore} names. Equal directories give the same id (E26, E43). A file that is unchanged
   * since {@link #restore} stays as it was committed, whatever line ends {@code .gitattributes}
   * asks for.
   */
  public String snapshot() throws IOException, InterruptedException {
    Files.deleteIfExists(gitDirectory.resolve("index.lock"));
    List<String> nested = NestedRepositories.findAndClear(directory());
    forget(nested);
    StringBuilder added = new StringBuilder(".\0");
    for (String each : withoutCommit(nested)) {
      added.append(":(exclude,literal)").append(each).append('\0');
    }
    persistently(
        command("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul")
            .withInput(added.toString()));
    return keepUntouched(files.checked(command("write-tree")));
  }

  private String keepUntouched(String tree) throws IOException, InterruptedException {
    if (restored.isEmpty() || tree.equals(restored)) {
      return tree;
    }
    String lines =
        new UntouchedFiles(files, this::command, gitDirectory.resolve("untouched"))
            .between(restored, tree);
    if (lines.isEmpty()) {
      return tree;
    }
    files.checked(command("update-index", "-z", "--index-info").withInput(lines));
    return files.checked(command("write-tree"));
  }

  /**
   * Returns the restored tree with these files as they are now, ignored ones too. It leaves out
   * everything else in the directory: a build's products stay out even if one of the files is a
   * {@code .gitignore} that no longer names them.
   *
   * @param paths of files that were changed, made or deleted
   */
  public String snapshotOf(Collection<String> paths) throws IOException, InterruptedException {
    Files.deleteIfExists(gitDirectory.resolve("index.lock"));
    files.checked(
        command("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
            .withInput(String.join("\0", paths) + "\0"));
    return files.checked(command("write-tree"));
  }

  /**
   * Returns those of these files that are in submodules of a tree, whether {@code .gitmodules}
   * names them or not.
   */
  public List<String> inSubmodules(String tree, Collection<String> paths)
      throws IOException, InterruptedException {
    Set<String> above = new TreeSet<>();
    for (String path : paths) {
      for (int at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
        above.add(path.substring(0, at));
      }
    }
    if (above.isEmpty()) {
      return List.of();
    }
    List<String> words = new ArrayList<>(List.of("ls-tree", "-z", "--end-of-options", tree, "--"));
    words.addAll(above);
    String entries =
        files.checked(
            command(words.toArray(String[]::new)).withVariable("GIT_LITERAL_PATHSPECS", "1"));
    List<String> submodules =
        Stream.of(entries.split("\0", -1))
            .filter(entry -> entry.startsWith("160000 "))
            .map(entry -> entry.substring(entry.indexOf('\t') + 1) + "/")
            .toList();
    return paths.stream().filter(path -> submodules.stream().anyMatch(path::startsWith)).toList();
  }

  /**
   * Removes the repositories inside from the index, so that they are added again each time. Git
   * would ask a repository that it knows already whether its files have changed, and so run the
   * filters that a program has configured there.
   */
  private void forget(List<String> nested) throws IOException, InterruptedException {
    if (!nested.isEmpty()) {
      files.checked(
          command("update-index", "--force-remove", "-z", "--stdin")
              .withInput(String.join("\0", nested) + "\0"));
    }
  }

  /**
   * Returns the repositories that git could not add, and for which it would refuse everything else.
   * A check has made them, and none of their files is tracked.
   */
  private List<String> withoutCommit(List<String> nested) throws IOException, InterruptedException {
    List<String> found = new ArrayList<>();
    for (String each : nested) {
      // Git cannot be asked about one whose name is not UTF-8; it may be ignored.
      if (each.indexOf('\uFFFD') < 0 && files.in(each).commit("HEAD").isEmpty()) {
        found.add(each);
      }
    }
    if (!found.isEmpty()) {
      for (String tracked : files.checked(command("ls-files", "-z")).split("\0", -1)) {
        found.removeIf(each -> tracked.startsWith(each + "/"));
      }
    }
    return found;
  }

  /**
   * Makes the directory equal to a tree again, whatever was changed, made or deleted since. Ignored
   * files, such as the products of a build, stay.
   */
  public void restore(String tree) throws IOException, InterruptedException {
    Files.deleteIfExists(gitDirectory.resolve("index.lock"));
    persistently(command("read-tree", "--reset", "-u", "--end-of-options", tree));
    restored = tree;
    persistently(command("clean", "-ffd", "--quiet"));
  }

  /**
   * Runs git, twice if needed. A verification may leave what git can neither read nor remove:
   * closed directories and files, as caches of packages are, and pipes in the places of files. Then
   * they are opened, and git runs again.
   */
  private void persistently(GitCommand command) throws IOException, InterruptedException {
    if (!files.run(command).isSuccess()) {
      DirectoryTree.open(directory());
      files.checked(command);
    }
  }

  /**
   * Returns the tree that a diff of {@link TicketRepository#diff} makes of the one that was
   * restored last. The directory stays as it is, because attributes may make its files differ from
   * the committed ones.
   */
  public String make(String diff) throws IOException, InterruptedException {
    files.checked(command("apply", "--cached", "--whitespace=nowarn", "-").withInput(diff));
    return files.checked(command("write-tree"));
  }

  /** Returns the paths that differ between two trees, sorted. */
  public List<String> changes(String fromTree, String toTree)
      throws IOException, InterruptedException {
    String names =
        files.checked(
            command("diff-tree", "-r", "--no-renames", "--name-only", "-z", fromTree, toTree));
    return Stream.of(names.split("\0", -1)).filter(name -> !name.isEmpty()).sorted().toList();
  }

  private GitCommand command(String... words) {
    return files
        .command(words)
        .withVariable("GIT_DIR", gitDirectory.toString())
        .withVariable("GIT_WORK_TREE", directory().toString());
  }
}
