package dev.holdfast.repair.git;

import java.io.IOException;
import java.util.Optional;

/**
 * One ticket's copy of a repository, locked against other processes until it is closed. Used by one
 * attempt; its worktrees may be used by a thread each.
 */
public interface TicketRepository extends AutoCloseable {
  /** The full id of the commit that the repair begins with; to be journalled. */
  String baseCommit();

  /** The tree of {@link #baseCommit}. */
  String baseTree();

  /** {@code holdfast/ticket-ID}. */
  String branch();

  /**
   * A worktree of its own with the files of a tree. What was there under that name is deleted.
   *
   * @param name letters, digits and {@code -}, such as {@code main} or {@code candidate-2}
   * @param tree {@link #baseTree} or what {@link Worktree#snapshot} gave
   */
  Worktree worktree(String name, String tree) throws IOException, InterruptedException;

  /**
   * The unified diff between two trees as people and models read it, with renames; empty if they
   * are the same. Its end where it is larger than 8 MiB.
   */
  String diff(String fromTree, String toTree) throws IOException, InterruptedException;

  /**
   * Makes the result: one commit on top of {@link #baseCommit}, and the branch {@link #branch}
   * here, and in the source as well where that is {@link RepositorySource.Local}. A branch of an
   * earlier result is replaced. Author and committer are {@code Holdfast <holdfast@localhost>}.
   *
   * @param message of the commit
   * @return its full id
   */
  String commit(String tree, String message) throws IOException, InterruptedException;

  /** The commit that {@link #branch} is at: the result so far, to go on from; empty if none. */
  Optional<String> result();

  /** The tree of a commit of this repository. */
  String treeOf(String commit) throws IOException, InterruptedException;

  /** Pushes the result to the source, as {@link #branch}; for a design that says so. */
  Delivery push() throws IOException, InterruptedException;

  /**
   * Brings the result into the branch that the source's ref names; for a design that says so. Only
   * where that branch has not moved on from {@link #baseCommit}; a checkout of it is brought along
   * if it is clean, and otherwise nothing is done.
   */
  Delivery merge() throws IOException, InterruptedException;

  /** Deletes the worktrees, keeps the repository, and lets go of the lock. */
  @Override
  void close() throws IOException;
}
