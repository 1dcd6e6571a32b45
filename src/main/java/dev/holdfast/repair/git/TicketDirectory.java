package dev.holdfast.repair.git;

import java.nio.file.Path;

/** The directory of a ticket's repository and its worktrees. */
record TicketDirectory(Path root, long ticketId) {
  Path directory() {
    return root.resolve("ticket-" + ticketId);
  }

  /** The ticket's bare repository. */
  Path repository() {
    return directory().resolve("repository.git");
  }

  Path worktrees() {
    return directory().resolve("worktrees");
  }

  /** Directories that could not be deleted at once. */
  Path trash() {
    return directory().resolve("trash");
  }

  Path lock() {
    return directory().resolve("lock");
  }
}
