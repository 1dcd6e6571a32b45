package dev.holdfast.repair.git;

import dev.holdfast.tool.git.GitCommand;
import dev.holdfast.tool.git.GitResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A merge that ended with its machine. Git deletes and writes the files, then its index, and moves
 * the branch last. So each file is as it was before, as it is to be, or is missing.
 */
record HalfMerge(GitDirectory checkout, String base, String commit) {
  /** The replacement character in a name that is not UTF-8 and is therefore not known here. */
  private static final String UNREADABLE = "\uFFFD";

  /**
   * Ends it. Git itself sees to it that no file is written over that it does not keep.
   *
   * @param merge the command that began it
   * @return what git said; empty if the checkout is not like this, and then nothing is changed
   */
  Optional<GitResult> end(GitCommand merge) throws IOException, InterruptedException {
    if (!hasIndex(base) && !hasIndex(commit)) {
      return Optional.empty();
    }
    Path index = Files.createTempDirectory("holdfast-").resolve("index");
    try {
      return describe(index) ? Optional.of(finish(with(index, merge))) : Optional.empty();
    } finally {
      Files.deleteIfExists(index);
      Files.delete(index.getParent());
    }
  }

  private boolean hasIndex(String of) throws IOException, InterruptedException {
    return checkout.run(here("diff-index", "--cached", "--quiet", of)).isSuccess();
  }

  /**
   * Makes an index in which the files that are as they are to be are up to date, and the others as
   * they were before.
   *
   * @return whether all the others are so, or are missing because of the merge
   */
  private boolean describe(Path index) throws IOException, InterruptedException {
    Set<String> merged = names(differing("diff-tree", "-r", base, commit));
    Set<String> done = names(differing("diff-tree", "-r", "--diff-filter=d", base, commit));
    checkout.checked(with(index, here("read-tree", commit)));
    done.removeAll(names(with(index, differing("diff"))));
    if (done.stream().anyMatch(name -> name.contains(UNREADABLE))) {
      return false;
    }
    checkout.checked(with(index, here("read-tree", base)));
    checkout.checked(
        with(index, here("update-index", "--add", "--replace", "-z", "--stdin"))
            .withInput(String.join("\0", done)));
    return names(with(index, differing("diff", "--diff-filter=d"))).isEmpty()
        && merged.containsAll(names(with(index, differing("diff"))));
  }

  /** Writes the checkout's own index first, so that a lock that was left there changes nothing. */
  private GitResult finish(GitCommand merge) throws IOException, InterruptedException {
    checkout.checked(here("read-tree", commit));
    GitResult merged = checkout.run(merge);
    if (!merged.isSuccess()) {
      checkout.checked(here("read-tree", base));
    }
    return merged;
  }

  private GitCommand differing(String command, String... words) {
    List<String> all = new ArrayList<>(List.of(command, "--name-only", "-z", "--no-renames"));
    all.addAll(List.of("--no-ext-diff", "--ignore-submodules=all"));
    all.addAll(List.of(words));
    return here(all.toArray(String[]::new));
  }

  private Set<String> names(GitCommand list) throws IOException, InterruptedException {
    Set<String> names = new LinkedHashSet<>(List.of(checkout.checked(list).split("\0", -1)));
    names.remove("");
    return names;
  }

  private GitCommand here(String... words) {
    return ResultDelivery.here(checkout, words);
  }

  private static GitCommand with(Path index, GitCommand command) {
    return command.withVariable("GIT_INDEX_FILE", index.toString());
  }
}
