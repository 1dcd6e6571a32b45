package dev.holdfast.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds a program as the system would. This is done before the start, because the launcher that
 * gives a program its own session would report a missing program as an exit code.
 */
public final class ProgramFinder {
  private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

  private ProgramFinder() {}

  /**
   * @param name the first word of the command: a name to be found on the path, or a path, absolute
   *     or from the directory
   * @param path the program's own PATH, or null
   * @throws IOException if there is no such program, or it may not be executed
   */
  public static void check(String name, Path directory, @Nullable String path) throws IOException {
    try {
      if (name.contains("/")) {
        checkFile(name, directory.resolve(name));
      } else {
        checkPath(name, directory, path == null ? DEFAULT_PATH : path);
      }
    } catch (InvalidPathException e) {
      throw new IOException(
          "cannot start \"" + name + "\": that is no path: correct the command", e);
    }
  }

  /**
   * Returns the file that a name stands for.
   *
   * @param name without a slash
   * @param path PATH, or null
   */
  public static Optional<Path> find(String name, @Nullable String path) {
    return find(name, Path.of(""), path == null ? DEFAULT_PATH : path).map(Path::toAbsolutePath);
  }

  private static Optional<Path> find(String name, Path directory, String path) {
    for (String entry : path.split(":", -1)) {
      Path file = directory.resolve(entry).resolve(name);
      if (Files.isExecutable(file) && !Files.isDirectory(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }

  private static void checkFile(String name, Path file) throws IOException {
    Optional<Path> closed = ClosedDirectory.above(file);
    if (closed.isPresent()) {
      throw new IOException(
          ("cannot start %s: EACCES, the worker's user may not enter %s: let it in, or correct the"
                  + " command")
              .formatted(name, closed.get()));
    }
    if (!Files.exists(file)) {
      throw new IOException(
          "cannot start " + name + ": ENOENT, there is no file " + file + ": correct the command");
    }
    if (Files.isDirectory(file) || !Files.isExecutable(file)) {
      throw new IOException(
          ("cannot start %s: EACCES, %s is not an executable file: make it one, or name"
                  + " its interpreter first")
              .formatted(name, file));
    }
  }

  private static void checkPath(String name, Path directory, String path) throws IOException {
    if (find(name, directory, path).isPresent()) {
      return;
    }
    throw new IOException(
        ("cannot start %s: ENOENT, there is no such program on the PATH %s: install it on"
                + " the worker's host, or write its full path")
            .formatted(name, path));
  }
}
