package dev.holdfast.tool.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The unix sockets of this machine that a read-only disk does not protect: PostgreSQL's, Docker's.
 * A network namespace does not cut them off either, for they are files.
 */
final class UnixSockets {
  private static final Path TABLE = Path.of("/proc/net/unix");

  /** Its eighth column, from a slash on; abstract sockets, with an at sign, have no file. */
  private static final int COLUMNS_BEFORE_PATH = 7;

  private UnixSockets() {}

  /**
   * Those that have a file outside of {@code /tmp} and {@code /run}, which are empty inside.
   *
   * @throws UncheckedIOException if nobody can say which there are: then a program that is to be
   *     confined must not run
   */
  static List<Path> reachable() {
    return in(TABLE);
  }

  /** Names that are no UTF-8 are left out: no path leads to them from here. */
  static List<Path> in(Path table) {
    try {
      List<Path> found = new ArrayList<>();
      // Not Files.lines: one neighbour's odd name would be an error for everybody.
      for (String line : new String(Files.readAllBytes(table), UTF_8).split("\n", -1)) {
        String[] columns = line.strip().split("\\s+", COLUMNS_BEFORE_PATH + 1);
        if (columns.length > COLUMNS_BEFORE_PATH) {
          path(columns[COLUMNS_BEFORE_PATH]).ifPresent(found::add);
        }
      }
      return found.stream().distinct().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("the unix sockets of this machine cannot be listed", e);
    }
  }

  private static Optional<Path> path(String name) {
    if (!name.startsWith("/") || name.startsWith("/tmp/") || name.startsWith("/run/")) {
      return Optional.empty();
    }
    try {
      return Optional.of(Path.of(name));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}
