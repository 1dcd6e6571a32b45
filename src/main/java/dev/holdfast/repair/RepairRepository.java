package dev.holdfast.repair;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The repository of a run. No call depends on what an earlier one left in a worktree. Thread-safe
 * for calls with different lanes.
 */
public interface RepairRepository {
  /** The commit that everything is based on. */
  String baseCommit();

  Tree baseTree();

  /**
   * Runs the verification on a state.
   *
   * @throws dev.holdfast.ticket.InvalidInputException if nothing fails at the start except that no
   *     report has a test, which no patch could fix
   * @throws IOException if the state cannot be made
   */
  Verified verify(Tree tree) throws IOException, InterruptedException;

  /**
   * Says why a model's output has no readable patch; empty where it has one, applicable or not.
   *
   * @param lane as of {@link #attempt}
   */
  Optional<String> invalidity(Tree tree, String output, int lane)
      throws IOException, InterruptedException;

  /**
   * Tries a model's output on a state and verifies the result, away from other lanes.
   *
   * @param lane from 0; each has a worktree of its own
   */
  Trial attempt(Tree tree, String output, int lane) throws IOException, InterruptedException;

  /** The files of a state; valid until the next call. */
  Sources sources(Tree tree) throws IOException, InterruptedException;

  /** Commits a state on the ticket's branch, and replaces what was there. */
  Commit commit(Tree tree, String message, Instant at) throws IOException, InterruptedException;

  /**
   * @param at its dates, as seconds of the epoch; 0 where nothing was committed
   */
  record Commit(String branch, String id, long at) {}

  /** The files of a tree that a model may see. */
  interface Sources {
    /** Paths from the root, with {@code /}, of all files that git does not ignore. */
    List<String> files();

    /** The text of a file; empty if it is binary, gone, too large or leads out of the tree. */
    Optional<String> text(String path);
  }
}
