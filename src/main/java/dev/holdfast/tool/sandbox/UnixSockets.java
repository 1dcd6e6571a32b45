package dev.holdfast.tool.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the unix sockets of this machine that a read-only disk does not protect, such as
 * PostgreSQL's and Docker's. A network namespace does not cut them off either, because they are
 * files.
 */
final class UnixSockets {
  private static final Path PROCESSES = Path.of("/proc");

  private static final Path TABLE = PROCESSES.resolve("net/unix");

  /**
   * The number of columns before the path. A path begins with a slash; abstract sockets, with an at
   * sign, have no file.
   */
  private static final int COLUMNS_BEFORE_PATH = 7;

  private UnixSockets() {}

  /**
   * Returns those that have a file outside of {@code /tmp} and {@code /run}, which are empty
   * inside.
   *
   * @throws UncheckedIOException if nobody can say which there are: then a program that is to be
   *     confined must not run
   */
  static List<Path> reachable() {
    return in(TABLE);
  }

  /**
   * Returns those of programs in other network namespaces, which only their own table lists. Each
   * can be reached by its file all the same. In a container's view of the disk such a name may be
   * another file.
   */
  static List<Path> ofOtherNetworks() {
    Set<@Nullable Object> seen = new HashSet<>();
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
      seen.add(namespaceOf(TABLE));
      for (Path process : processes) {
        Path table = process.resolve("net/unix");
        Object namespace = namespaceOf(table);
        if (namespace != null && seen.add(namespace)) {
          found.addAll(inOrNone(table));
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      throw new UncheckedIOException(
          "the processes of this machine cannot be listed", new IOException(e));
    }
    return found.stream().distinct().filter(UnixSockets::isSocket).toList();
  }

  /**
   * Returns a key that is the same for all processes of a network namespace; null for one that
   * ended.
   */
  private static @Nullable Object namespaceOf(Path table) {
    try {
      return Files.readAttributes(table, BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      return null;
    }
  }

  /** Reads a table; returns nothing where its process has ended meanwhile. */
  private static List<Path> inOrNone(Path table) {
    try {
      return in(table);
    } catch (UncheckedIOException e) {
      return List.of();
    }
  }

  private static boolean isSocket(Path path) {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).isOther();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Reads a table. Names that are not UTF-8 are left out, because no path leads to them from here.
   */
  static List<Path> in(Path table) {
    try {
      List<Path> found = new ArrayList<>();
      // Files.lines would fail for everybody at one neighbour's odd name.
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
