package dev.holdfast.repair.git;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/** A directory with the files of a tree, to be changed and verified. Used by one thread. */
public interface Worktree {
  /** Its real path. */
  Path directory();

  /**
   * The tree as the directory is now: tracked files and new ones that no {@code .gitignore} names.
   * Equal directories give the same id (E26, E43).
   *
   * @param alsoIgnored relative paths of files that count although they are ignored: those which
   *     the patch has made
   */
  String snapshot(Collection<String> alsoIgnored) throws IOException, InterruptedException;

  /** With nothing that is ignored. */
  default String snapshot() throws IOException, InterruptedException {
    return snapshot(List.of());
  }

  /**
   * Makes the directory equal to a tree again: what was changed, made or deleted since. Ignored
   * files, such as what a build made, stay.
   */
  void restore(String tree) throws IOException, InterruptedException;
}
