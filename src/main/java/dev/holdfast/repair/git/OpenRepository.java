package dev.holdfast.repair.git;

import dev.holdfast.process.DirectoryTree;
import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/** A ticket's repository while an attempt has it. */
final class OpenRepository implements TicketRepository {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,60}");
  private static final String WHO = "Holdfast";
  private static final String ADDRESS = "holdfast@localhost";

  private final Git git;
  private final TicketDirectory place;
  private final RepositorySource source;
  private final TicketLock lock;
  private final GitDirectory repository;
  private final String base;
  private final String tree;
  private final ReentrantLock worktrees = new ReentrantLock();
  private volatile Optional<String> result;

  OpenRepository(
      Git git, TicketDirectory place, RepositorySource source, TicketLock lock, String base)
      throws IOException, InterruptedException {
    this.git = git;
    this.place = place;
    this.source = source;
    this.lock = lock;
    this.repository = new GitDirectory(git, place.repository());
    this.base = base;
    this.tree = treeOf(base);
    this.result = repository.commit("refs/heads/" + branch());
  }

  @Override
  public String baseCommit() {
    return base;
  }

  @Override
  public String baseTree() {
    return tree;
  }

  @Override
  public String branch() {
    return "holdfast/ticket-" + place.ticketId();
  }

  @Override
  public Worktree worktree(String name, String of) throws IOException, InterruptedException {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("a worktree's name has letters, digits and - only");
    }
    Path directory = place.worktrees().resolve(name);
    worktrees.lockInterruptibly();
    try {
      DirectoryTree.delete(directory);
      repository.checked("worktree", "prune", "--expire=now");
      Files.createDirectories(place.worktrees());
      repository.checked(
          "worktree", "add", "--quiet", "--detach", "--no-checkout", directory.toString(), base);
    } finally {
      worktrees.unlock();
    }
    OpenWorktree worktree =
        new OpenWorktree(
            git, directory.toRealPath(), place.repository().resolve("worktrees").resolve(name));
    worktree.restore(of);
    return worktree;
  }

  @Override
  public String diff(String fromTree, String toTree) throws IOException, InterruptedException {
    String diff =
        repository.checked(
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
    return diff.isEmpty() ? diff : diff + "\n";
  }

  @Override
  public String commit(String of, String message) throws IOException, InterruptedException {
    GitCommand command = repository.command("commit-tree", of, "-p", base, "-F", "-");
    for (String role : new String[] {"AUTHOR", "COMMITTER"}) {
      command =
          command
              .withVariable("GIT_" + role + "_NAME", WHO)
              .withVariable("GIT_" + role + "_EMAIL", ADDRESS);
    }
    String commit = repository.checked(command.withInput(message));
    repository.checked("update-ref", "refs/heads/" + branch(), commit);
    result = Optional.of(commit);
    if (source instanceof RepositorySource.Local local) {
      new ResultDelivery(git, repository, branch()).publish(local);
    }
    return commit;
  }

  @Override
  public Optional<String> result() {
    return result;
  }

  @Override
  public String treeOf(String commit) throws IOException, InterruptedException {
    return repository.checked("rev-parse", "--verify", "--end-of-options", commit + "^{tree}");
  }

  @Override
  public Delivery push() throws IOException, InterruptedException {
    return result.isEmpty()
        ? nothing()
        : new ResultDelivery(git, repository, branch()).push(source, result.get());
  }

  @Override
  public Delivery merge() throws IOException, InterruptedException {
    return result.isEmpty()
        ? nothing()
        : new ResultDelivery(git, repository, branch()).merge(source, base, result.get());
  }

  private static Delivery nothing() {
    return new Delivery.Refused("there is no result yet: release the ticket");
  }

  @Override
  public void close() throws IOException {
    try {
      Removal.aside(place.worktrees(), place.trash());
    } finally {
      lock.close();
    }
  }
}
