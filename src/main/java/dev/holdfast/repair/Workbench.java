package dev.holdfast.repair;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The repository of a run. A state of its tree is named by the diff from the base commit to it, ""
 * for the base itself; no call depends on what an earlier one left in the worktrees. Thread-safe
 * for calls with different lanes.
 */
public interface Workbench {
  /** The commit that everything is based on. */
  String base();

  /**
   * Runs the verification on a state.
   *
   * @throws IOException if the state cannot be made or the commands cannot be started
   */
  Verified verify(String diff) throws IOException, InterruptedException;

  /**
   * Whether a model's output has a patch in it that can be read; says why not, empty if it has.
   */
  Optional<String> problem(String output);

  /**
   * Tries a model's output on a state and verifies the result, away from other lanes.
   *
   * @param lane from 0; each has a worktree of its own
   */
  Trial attempt(String diff, String output, int lane) throws IOException, InterruptedException;

  /** The files of a state; valid until the next call. */
  Sources sources(String diff) throws IOException, InterruptedException;

  /**
   * Commits a state on the ticket's branch, in place of what was there.
   *
   * @return the branch and the commit
   */
  Commit commit(String diff, String message) throws IOException, InterruptedException;

  record Commit(String branch, String id) {}

  /** What a model may be shown of a tree. */
  interface Sources {
    /** Paths from the root, with {@code /}, of all tracked and new files. */
    List<String> files();

    /** The text of a file; empty if it is binary, gone, too large or leads out of the tree. */
    Optional<String> text(String path);
  }
}
