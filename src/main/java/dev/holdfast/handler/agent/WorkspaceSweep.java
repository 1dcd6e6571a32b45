package dev.holdfast.handler.agent;

import dev.holdfast.ticket.EndedTickets;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the workspaces of tickets that a person has ended some time ago: approved, or cancelled.
 * A workspace whose ticket the database does not know may be another database's, and stays. Several
 * workers may sweep one directory at once.
 *
 * @param root {@code agents.workspace-root}; need not exist
 * @param kept for how long after the end of its ticket a workspace stays; zero is for ever
 */
public record WorkspaceSweep(Path root, Duration kept, EndedTickets tickets) {
  private static final Logger log = LoggerFactory.getLogger(WorkspaceSweep.class);

  /**
   * Deletes the workspaces of tickets that are over. A workspace that cannot be read or deleted is
   * logged and left for the next time.
   *
   * @throws dev.holdfast.ticket.HoldfastException if the database cannot be reached
   */
  public void run() {
    if (kept.isZero() || !Files.isDirectory(root)) {
      return;
    }
    Map<EndedTickets.Key, Path> workspaces = workspaces();
    if (workspaces.isEmpty()) {
      return;
    }
    workspaces.keySet().retainAll(tickets.endedFor(kept, Set.copyOf(workspaces.keySet())));
    for (Path directory : workspaces.values()) {
      log.info("Deleting the workspace {}: its ticket has ended", directory);
      AgentWorkspace.delete(directory);
    }
  }

  private Map<EndedTickets.Key, Path> workspaces() {
    Map<EndedTickets.Key, Path> workspaces = new LinkedHashMap<>();
    try (DirectoryStream<Path> directories = Files.newDirectoryStream(root, Files::isDirectory)) {
      for (Path directory : directories) {
        AgentWorkspace.ticketOf(directory).ifPresent(key -> workspaces.put(key, directory));
      }
    } catch (IOException | DirectoryIteratorException e) {
      log.warn("The workspaces in {} could not be looked through: {}", root, e.toString());
    }
    return workspaces;
  }
}
