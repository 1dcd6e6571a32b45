package dev.holdfast.repair.git;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Worktrees that repairs have left on this machine. A ticket's next attempt here clears them away;
 * those of a ticket without another attempt stay.
 *
 * @param ticketId whose they are
 * @param directories with files in them, absolute
 */
public record LeftWorktrees(long ticketId, List<Path> directories) {
  private static final Pattern NAME = Pattern.compile("ticket-(\\d{1,18})");

  public LeftWorktrees {
    directories = List.copyOf(directories);
  }

  /**
   * Returns the worktrees of all tickets, by id; also those of running tickets.
   *
   * @param root {@code repair.workspace-root}; it need not be there
   * @throws IOException if a directory cannot be read
   */
  public static List<LeftWorktrees> in(Path root) throws IOException {
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    List<LeftWorktrees> found = new ArrayList<>();
    Path absolute = root.toAbsolutePath().normalize();
    try (Stream<Path> children = Files.list(absolute)) {
      for (Path child : children.sorted().toList()) {
        Matcher name = NAME.matcher(child.getFileName().toString());
        if (name.matches()) {
          TicketDirectory place = new TicketDirectory(absolute, Long.parseLong(name.group(1)));
          List<Path> full = filled(List.of(place.worktrees(), place.trash()));
          if (!full.isEmpty()) {
            found.add(new LeftWorktrees(place.ticketId(), full));
          }
        }
      }
    }
    return found;
  }

  private static List<Path> filled(List<Path> directories) throws IOException {
    List<Path> filled = new ArrayList<>();
    for (Path each : directories) {
      if (Files.isDirectory(each)) {
        try (Stream<Path> children = Files.list(each)) {
          if (children.findAny().isPresent()) {
            filled.add(each);
          }
        }
      }
    }
    return filled;
  }
}
