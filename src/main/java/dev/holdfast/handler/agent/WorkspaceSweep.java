package dev.holdfast.handler.agent;

import dev.holdfast.ticket.EndedTickets;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the workspaces of tickets that a person approved or cancelled some time ago. A workspace
 * whose ticket the database does not know may be another database's, and stays. Several workers may
 * sweep one directory at once. It also deletes what a killed worker has left: a half-made copy,
 * after a day, and the directories of attempts at commands.
 *
 * @param of whose directories it looks at: both may have one root
 * @param root {@code agents.workspace-root}, or {@code handlers.command.workspaces}; need not exist
 * @param kept for how long after the end of its ticket a workspace stays; zero is for ever
 */
public record WorkspaceSweep(
    Of of, Path root, Duration kept, EndedTickets tickets, InstantSource clock) {
  /** The owner of the directories. */
  public enum Of {
    AGENTS(""),
    COMMANDS("-attempt-[0-9]+-[0-9]+");

    private final Pattern names;

    Of(String end) {
      this.names = Pattern.compile("ticket-([1-9][0-9]{0,17})-([1-9][0-9]{0,17})" + end);
    }

    /** Returns the ticket of a directory, by its name; empty if it has no such name. */
    private Optional<EndedTickets.Key> ticketOf(Path directory) {
      Matcher name = names.matcher(directory.getFileName().toString());
      return name.matches()
          ? Optional.of(
              new EndedTickets.Key(Long.parseLong(name.group(1)), Long.parseLong(name.group(2))))
          : Optional.empty();
    }
  }

  private static final Logger log = LoggerFactory.getLogger(WorkspaceSweep.class);
  private static final Duration HALF_MADE_FOR = Duration.ofDays(1);

  /**
   * Deletes the workspaces of tickets that are over. A workspace that cannot be read or deleted is
   * logged and left for the next time.
   *
   * @throws dev.holdfast.ticket.HoldfastException if the database cannot be reached
   */
  public void run() {
    if (!Files.isDirectory(root)) {
      return;
    }
    deleteHalfMade();
    if (!kept.isZero()) {
      deleteEnded();
    }
  }

  private void deleteEnded() {
    Map<EndedTickets.Key, List<Path>> workspaces = new LinkedHashMap<>();
    for (Path directory : directories()) {
      of.ticketOf(directory)
          .ifPresent(key -> workspaces.computeIfAbsent(key, _ -> new ArrayList<>()).add(directory));
    }
    if (workspaces.isEmpty()) {
      return;
    }
    for (EndedTickets.Key ended : tickets.endedFor(kept, Set.copyOf(workspaces.keySet()))) {
      for (Path directory : workspaces.getOrDefault(ended, List.of())) {
        log.info("Deleting the workspace {}: its ticket has ended", directory);
        AgentWorkspace.delete(directory);
      }
    }
  }

  private void deleteHalfMade() {
    Instant old = clock.instant().minus(HALF_MADE_FOR);
    for (Path directory : directories()) {
      if (AgentWorkspace.isHalfMade(directory) && isOlder(directory, old)) {
        log.info("Deleting {}: the worker that was making it was killed", directory);
        AgentWorkspace.delete(directory);
      }
    }
  }

  private static boolean isOlder(Path directory, Instant than) {
    try {
      return Files.getLastModifiedTime(directory).toInstant().isBefore(than);
    } catch (IOException e) {
      log.debug("{} has gone meanwhile: {}", directory, e.toString());
      return false;
    }
  }

  private List<Path> directories() {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> directories = Files.newDirectoryStream(root, Files::isDirectory)) {
      directories.forEach(found::add);
    } catch (IOException | DirectoryIteratorException e) {
      log.warn("The workspaces in {} could not be looked through: {}", root, e.toString());
    }
    return found;
  }
}
