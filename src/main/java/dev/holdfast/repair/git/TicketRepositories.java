package dev.holdfast.repair.git;

import dev.holdfast.process.DirectoryTree;
import dev.holdfast.process.MachineLimits;
import dev.holdfast.tool.git.Git;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The tickets' own copies of repositories, each in a directory {@code ticket-ID} under one root.
 * They are copies, not worktrees of the original. So its configuration, hooks and filters never
 * apply, its checkout is not touched, and tickets on the same repository share no lock.
 * Thread-safe.
 */
public final class TicketRepositories {
  /**
   * The wait for another attempt. It is a few leases long: an attempt that has lost its own lease
   * ends within that time, unless its worker hangs.
   */
  private static final Duration FOR_ANOTHER = Duration.ofMinutes(5);

  private final Path root;
  private final Git git;
  private final Duration wait;

  /**
   * @param root made when it is needed
   * @param git not confined, for it writes here and, at the end, the branch of the result to the
   *     original
   */
  public TicketRepositories(Path root, Git git) {
    this(root, git, FOR_ANOTHER);
  }

  /**
   * @param wait for another attempt on a ticket to end
   */
  TicketRepositories(Path root, Git git, Duration wait) {
    this.root = root.toAbsolutePath();
    this.git = git;
    this.wait = wait;
  }

  /** Opens the repository for an order that delivers an existing result. */
  public TicketRepository open(long ticketId, RepositorySource source, Optional<String> base)
      throws IOException, InterruptedException {
    return open(ticketId, Optional.empty(), source, base);
  }

  /**
   * Opens the ticket's repository: fetches the commit where that has not been done, and clears away
   * what a crashed attempt left of its worktrees.
   *
   * @param created distinguishes the ticket from another database's ticket of this number
   * @param base the commit an earlier attempt began with, from the journal; empty to take what the
   *     source's ref is now
   * @throws RepositoryException if there is no such repository or ref, if a branch of it is in the
   *     way of the result, or if another attempt works on the ticket on this machine for long
   * @throws IOException if the disk or the network fails
   */
  public TicketRepository open(
      long ticketId, Instant created, RepositorySource source, Optional<String> base)
      throws IOException, InterruptedException {
    return open(ticketId, Optional.of(created.toString()), source, base);
  }

  private TicketRepository open(
      long ticketId, Optional<String> owner, RepositorySource source, Optional<String> base)
      throws IOException, InterruptedException {
    TicketDirectory place = new TicketDirectory(root, ticketId);
    Files.createDirectories(place.directory());
    TicketLock lock = TicketLock.of(place.lock(), wait);
    boolean opened = false;
    try {
      Removal.aside(place.worktrees(), place.trash());
      String format = format(source, base);
      GitDirectory repository = repository(place, format);
      ResultBranches branches = new ResultBranches(git, repository, ticketId);
      if (base.isEmpty()) {
        branches.setAside(owner);
      } else {
        branches.goOn(owner);
      }
      Optional<String> there = base.isEmpty() ? base : repository.commit(base.get());
      String commit = there.isPresent() ? there.get() : fetch(repository, source, base);
      TicketRepository open = new TicketRepository(git, place, source, lock, commit);
      opened = true;
      return open;
    } finally {
      if (!opened) {
        lock.close();
      }
    }
  }

  /**
   * Fetches the commit. What a fetch leaves that failed is of no use to the next one, and fills the
   * disk where the repository is too large for it.
   */
  private String fetch(GitDirectory repository, RepositorySource source, Optional<String> base)
      throws IOException, InterruptedException {
    try {
      return new Fetching(git, repository).fetch(source, base);
    } catch (IOException e) {
      if (repository.commit(Fetching.BASE).isEmpty()) {
        DirectoryTree.delete(repository.directory());
      }
      throw e;
    }
  }

  /** Returns the bare repository; makes it again where a crash left it incomplete. */
  private GitDirectory repository(TicketDirectory place, String format)
      throws IOException, InterruptedException {
    GitDirectory repository = new GitDirectory(git, place.repository());
    if (Files.isDirectory(place.repository())) {
      deleteLocks(place.repository());
      if (repository.commit(Fetching.BASE).isPresent()) {
        return repository;
      }
      DirectoryTree.delete(place.repository());
    }
    Files.createDirectories(place.repository());
    repository.checked("init", "--quiet", "--bare", "--template=", "--object-format=" + format);
    return repository;
  }

  /**
   * Returns the format of the source's ids; for a URL, as far as the requested id shows it. Refuses
   * an original that cannot take a result.
   */
  private String format(RepositorySource source, Optional<String> base)
      throws IOException, InterruptedException {
    if (!(source instanceof RepositorySource.Local local)) {
      return base.orElse(source.ref()).matches("[0-9a-f]{64}") ? "sha256" : "sha1";
    }
    Original original = Original.at(git, local.path());
    requireRoomForResult(original, local.path());
    // Ids of two lengths do not fit into one repository.
    return original.format();
  }

  /**
   * Refuses a source with a branch {@code holdfast}. To git a branch is a file or a directory, so
   * no result could be below it.
   */
  private static void requireRoomForResult(Original original, Path path)
      throws IOException, InterruptedException {
    if (original.directory().commit("refs/heads/holdfast").isPresent()) {
      throw new RepositoryException(
          path
              + " has a branch holdfast, beside which git can make no branch of a result,"
              + " holdfast/ticket-ID: rename it (git branch -m holdfast OTHER)");
    }
  }

  /** Deletes locks of a git that was killed; nobody else can be at work here. */
  private static void deleteLocks(Path repository) throws IOException {
    List<Path> locks;
    try (Stream<Path> walk = Files.walk(repository)) {
      locks = walk.filter(file -> file.getFileName().toString().endsWith(".lock")).toList();
    }
    for (Path lock : locks) {
      Files.deleteIfExists(lock);
    }
  }

  /**
   * Requires that there is room, after work in a repository failed.
   *
   * @throws dev.holdfast.process.NotPreparedException if this machine has none
   */
  public void requireRoom(IOException failure) {
    MachineLimits.requireRoom(root, failure);
  }

  /**
   * Deletes everything of a ticket's repository; does nothing if there is none.
   *
   * @throws RepositoryException if an attempt works in it
   */
  public void delete(long ticketId) throws IOException {
    TicketDirectory place = new TicketDirectory(root, ticketId);
    if (Files.isDirectory(place.directory())) {
      try (TicketLock lock = TicketLock.of(place.lock())) {
        DirectoryTree.delete(place.directory());
      }
    }
  }
}
