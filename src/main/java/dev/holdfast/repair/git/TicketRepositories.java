package dev.holdfast.repair.git;

import dev.holdfast.tool.git.Git;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The tickets' own copies of repositories, each in a directory {@code ticket-ID} under one root.
 * Copies, not worktrees of the original, so that its configuration, hooks and filters never apply,
 * its checkout is not touched, and tickets on the same repository share no lock. Thread-safe.
 */
public final class TicketRepositories {
  private final Path root;
  private final Git git;

  /**
   * @param root made when it is needed
   */
  public TicketRepositories(Path root, Git git) {
    this.root = root;
    this.git = git;
  }

  /**
   * Opens the ticket's repository: fetches the commit where that has not been done, and clears away
   * what a crashed attempt left of its worktrees.
   *
   * @param base the commit an earlier attempt began with, from the journal; empty to take what the
   *     source's ref is now
   * @throws RepositoryException if there is no such repository or ref, or another process works on
   *     the ticket on this machine
   * @throws IOException if the disk or the network fails
   */
  public TicketRepository open(long ticketId, RepositorySource source, Optional<String> base)
      throws IOException, InterruptedException {
    throw new UnsupportedOperationException("not yet: " + root + git);
  }

  /** Deletes all that there is of a ticket's repository; nothing if there is none. */
  public void delete(long ticketId) throws IOException {
    throw new UnsupportedOperationException();
  }
}
