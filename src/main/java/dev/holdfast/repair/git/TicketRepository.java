package dev.holdfast.repair.git;

import dev.holdfast.process.DirectoryTree;
import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import dev.holdfast.tool.git.GitResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * One ticket's copy of a repository, locked against other processes until it is closed. Used by one
 * attempt; its worktrees may be used by a thread each.
 */
public final class TicketRepository implements AutoCloseable {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,60}");
  private static final String WHO = "Holdfast";
  private static final String ADDRESS = "holdfast@localhost";

  private final Git git;
  private final TicketDirectory place;
  private final RepositorySource source;
  private final TicketLock lock;
  private final GitDirectory repository;
  private final ResultBranches branches;
  private final String base;
  private final String tree;
  private final ReentrantLock worktrees = new ReentrantLock();
  private volatile String branch;
  private volatile Optional<String> result;

  TicketRepository(
      Git git, TicketDirectory place, RepositorySource source, TicketLock lock, String base)
      throws IOException, InterruptedException {
    this.git = git;
    this.place = place;
    this.source = source;
    this.lock = lock;
    this.repository = new GitDirectory(git, place.repository());
    this.branches = new ResultBranches(git, repository, place.ticketId());
    this.base = base;
    this.tree = treeOf(base);
    this.branch = branches.current();
    this.result = repository.commit(ResultBranches.HEADS + branch);
  }

  /** The full id of the commit that the repair begins with; to be journalled. */
  public String baseCommit() {
    return base;
  }

  /** The tree of {@link #baseCommit}. */
  public String baseTree() {
    return tree;
  }

  /**
   * The branch of the result: {@code holdfast/ticket-ID}, with {@code -2} and so on after it where
   * the source has a branch of that name that this ticket did not write. Known after {@link
   * #commit}.
   */
  public String branch() {
    return branch;
  }

  /**
   * Makes a separate worktree with the files of a tree. Deletes what was there under that name.
   *
   * @param name letters, digits and {@code -}, such as {@code main} or {@code candidate-2}
   * @param tree {@link #baseTree} or what {@link Worktree#snapshot} gave
   */
  public Worktree worktree(String name, String of) throws IOException, InterruptedException {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("a worktree's name has letters, digits and - only");
    }
    Path directory = place.worktrees().resolve(name);
    worktrees.lockInterruptibly();
    try {
      DirectoryTree.delete(directory);
      // git does not prune a worktree that it was making when it was killed, because that is locked
      DirectoryTree.delete(place.repository().resolve("worktrees").resolve(name));
      repository.checked("worktree", "prune", "--expire=now");
      Files.createDirectories(place.worktrees());
      repository.checked(
          "worktree", "add", "--quiet", "--detach", "--no-checkout", directory.toString(), base);
    } finally {
      worktrees.unlock();
    }
    Worktree worktree =
        new Worktree(
            git, directory.toRealPath(), place.repository().resolve("worktrees").resolve(name));
    worktree.restore(of);
    return worktree;
  }

  /**
   * Returns the unified diff between two trees for people and models, with renames; empty if they
   * are the same.
   *
   * @throws DiffTooLargeException if it is larger than 8 MiB
   */
  public String diff(String fromTree, String toTree) throws IOException, InterruptedException {
    GitCommand command =
        repository.command(
            "diff",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--find-renames",
            "--binary",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            fromTree,
            toTree);
    GitResult result = git.run(command);
    if (!result.isSuccess()) {
      throw GitDirectory.failure(command, result);
    }
    if (!result.stdoutComplete()) {
      throw new DiffTooLargeException();
    }
    return result.stdout();
  }

  /**
   * Makes the result: one commit on top of {@link #baseCommit}, and the branch {@link #branch}
   * here, and in the source as well where that is {@link RepositorySource.Local}. The branch of an
   * earlier result of this ticket is replaced, any other is not. Author and committer are {@code
   * Holdfast <holdfast@localhost>}.
   *
   * @param message of the commit
   * @param at its dates, to the second: made again with the same, it has the same id
   * @return its full id
   */
  public String commit(String of, String message, Instant at)
      throws IOException, InterruptedException {
    GitCommand command = repository.command("commit-tree", of, "-p", base, "-F", "-");
    for (String role : new String[] {"AUTHOR", "COMMITTER"}) {
      command =
          command
              .withVariable("GIT_" + role + "_NAME", WHO)
              .withVariable("GIT_" + role + "_EMAIL", ADDRESS)
              .withVariable("GIT_" + role + "_DATE", "@" + at.getEpochSecond() + " +0000");
    }
    String commit = repository.checked(command.withInput(message));
    switch (source) {
      case RepositorySource.Local local -> {
        ResultBranches.Place free = branches.place(local, result, commit);
        keep(free.name(), commit);
        delivery().publish(local, free, commit);
      }
      case RepositorySource.Remote remote -> keep(branch, commit);
    }
    return commit;
  }

  /**
   * Takes a result of this ticket that another worker has made, from the source where that is
   * {@link RepositorySource.Local}.
   *
   * @return false if it is not there
   */
  public boolean take(String commit) throws IOException, InterruptedException {
    if (source instanceof RepositorySource.Local local
        && new Fetching(git, repository).fetchResult(local, commit)) {
      keep(branches.nameOf(local, commit), commit);
      return true;
    }
    return false;
  }

  /** Keeps the result here before it goes anywhere else, so that a crash leaves a known branch. */
  private void keep(String name, String commit) throws IOException, InterruptedException {
    repository.checked("update-ref", ResultBranches.HEADS + name, commit);
    branch = name;
    result = Optional.of(commit);
  }

  private ResultDelivery delivery() {
    return new ResultDelivery(git, repository, branches, branch);
  }

  /**
   * Returns the commit that {@link #branch} is at: the result so far, to go on from; empty if there
   * is none.
   */
  public Optional<String> result() {
    return result;
  }

  /** The tree of a commit of this repository. */
  public String treeOf(String commit) throws IOException, InterruptedException {
    return repository.checked("rev-parse", "--verify", "--end-of-options", commit + "^{tree}");
  }

  /**
   * Pushes the result to the source, as {@link #branch} or the next name that is free there; for a
   * design that says so.
   */
  public Delivery push() throws IOException, InterruptedException {
    return result.isEmpty() ? nothing() : delivery().push(source, result.get());
  }

  /**
   * Brings the result into the branch that the source's ref names, for a design that says so. Does
   * so only where that branch has not moved on from {@link #baseCommit}. A checkout of it is
   * updated if it is clean; otherwise nothing is done.
   */
  public Delivery merge() throws IOException, InterruptedException {
    return result.isEmpty() ? nothing() : delivery().merge(source, base, result.get());
  }

  private static Delivery nothing() {
    return new Delivery.Refused("there is no result yet: release the ticket");
  }

  /** Deletes the worktrees, keeps the repository, and releases the lock. */
  @Override
  public void close() throws IOException {
    try {
      Removal.aside(place.worktrees(), place.trash());
    } finally {
      lock.close();
    }
  }
}
