package dev.holdfast.tool.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The unix sockets of this machine that a read-only disk does not protect: PostgreSQL's, Docker's.
 * A network namespace does not cut them off either, for they are files.
 */
final class UnixSockets {
  private static final Path TABLE = Path.of("/proc/net/unix");

  /** Its eighth column, from a slash on; abstract sockets, with an at sign, have no file. */
  private static final int COLUMNS_BEFORE_PATH = 7;

  private UnixSockets() {}

  /** Those that have a file outside of {@code /tmp} and {@code /run}, which are empty inside. */
  static List<Path> reachable() {
    try (Stream<String> lines = Files.lines(TABLE)) {
      return lines
          .map(line -> line.strip().split("\\s+", COLUMNS_BEFORE_PATH + 1))
          .filter(columns -> columns.length > COLUMNS_BEFORE_PATH)
          .map(columns -> columns[COLUMNS_BEFORE_PATH])
          .filter(path -> path.startsWith("/"))
          .filter(path -> !path.startsWith("/tmp/") && !path.startsWith("/run/"))
          .distinct()
          .map(Path::of)
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }
}
