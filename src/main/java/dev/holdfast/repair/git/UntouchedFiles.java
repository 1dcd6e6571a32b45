package dev.holdfast.repair.git;

import dev.holdfast.process.DirectoryTree;
import dev.holdfast.tool.git.GitCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds files of a worktree that {@code git add} changes although nobody has changed them: those
 * that were committed before {@code .gitattributes} asked for other line ends.
 *
 * @param files the worktree
 * @param git the command that all others begin as, which says where the repository is
 * @param scratch a directory that is made and deleted
 */
record UntouchedFiles(GitDirectory files, Command git, Path scratch) {
  private static final Pattern MODIFIED =
      Pattern.compile(":(100\\d{3}) \\1 ([0-9a-f]+) [0-9a-f]+ M");

  /** The replacement character in a name that is not UTF-8 and is therefore not known here. */
  private static final char UNREADABLE = '\uFFFD';

  /** Makes a command of git in the worktree. */
  @FunctionalInterface
  interface Command {
    GitCommand of(String... words);
  }

  /**
   * @param before the tree that was checked out
   * @param after the tree that git makes of the files now
   * @return lines for {@code update-index -z --index-info} that make them what they were; empty if
   *     there are none
   */
  String between(String before, String after) throws IOException, InterruptedException {
    Map<String, String> modified = modified(before, after);
    if (modified.isEmpty()) {
      return "";
    }
    DirectoryTree.delete(scratch);
    Files.createDirectories(scratch);
    try {
      checkOut(before, String.join("\0", modified.keySet()) + "\0");
      StringBuilder lines = new StringBuilder();
      for (Map.Entry<String, String> each : modified.entrySet()) {
        if (isUntouched(each.getKey())) {
          lines.append(each.getValue()).append('\t').append(each.getKey()).append('\0');
        }
      }
      return lines.toString();
    } finally {
      DirectoryTree.delete(scratch);
    }
  }

  /** Returns the mode and id before of plain files with other contents, by their paths. */
  private Map<String, String> modified(String before, String after)
      throws IOException, InterruptedException {
    String[] words =
        files
            .checked(
                git.of("diff-tree", "-r", "-z", "--no-renames", "--diff-filter=M", before, after))
            .split("\0", -1);
    Map<String, String> modified = new TreeMap<>();
    for (int i = 0; i + 1 < words.length; i++) {
      Matcher matcher = MODIFIED.matcher(words[i]);
      if (matcher.matches() && words[i + 1].indexOf(UNREADABLE) < 0) {
        modified.put(words[i + 1], matcher.group(1) + " " + matcher.group(2));
      }
    }
    return modified;
  }

  /** Writes files as git does in a checkout, with an index of its own. */
  private void checkOut(String tree, String paths) throws IOException, InterruptedException {
    String index = scratch.resolve("index").toString();
    files.checked(git.of("read-tree", tree).withVariable("GIT_INDEX_FILE", index));
    files.checked(
        git.of("checkout-index", "-z", "--stdin", "--prefix=" + scratch.resolve("files") + "/")
            .withVariable("GIT_INDEX_FILE", index)
            .withInput(paths));
  }

  private boolean isUntouched(String path) throws IOException {
    Path now = files.directory().resolve(path);
    return Files.isRegularFile(now, LinkOption.NOFOLLOW_LINKS)
        && Files.mismatch(now, scratch.resolve("files").resolve(path)) < 0;
  }
}
