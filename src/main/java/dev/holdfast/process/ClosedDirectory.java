package dev.holdfast.process;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/** Tells what is not there from what the worker's user may not get to. */
public final class ClosedDirectory {
  private ClosedDirectory() {}

  /** Why there seems to be nothing at a path, for the end of a message. */
  public static String why(Path path) {
    return above(path)
        .map(closed -> "cannot be reached (EACCES): the worker's user may not enter " + closed)
        .orElse("does not exist (ENOENT)");
  }

  /** The directory above a path that the worker's user may not enter, if that hides it. */
  public static Optional<Path> above(Path path) {
    try {
      Files.readAttributes(path, BasicFileAttributes.class);
      return Optional.empty();
    } catch (AccessDeniedException e) {
      Path above = path.toAbsolutePath().getParent();
      while (above != null && !Files.isDirectory(above)) {
        above = above.getParent();
      }
      return Optional.ofNullable(above);
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
