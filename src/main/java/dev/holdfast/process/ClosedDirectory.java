package dev.holdfast.process;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/** Distinguishes what does not exist from what the worker's user may not reach. */
public final class ClosedDirectory {
  private ClosedDirectory() {}

  /**
   * Returns the path, and why it seems to be missing, if a closed directory hides it.
   *
   * @param host in words
   */
  public static Optional<String> hides(Path path, String host) {
    return above(path)
        .map(
            closed ->
                "%s cannot be reached (EACCES): the worker's user may not enter %s on %s: let it in"
                    .formatted(path, closed, host));
  }

  /**
   * Returns the directory above a path that the worker's user may not enter, if it hides the path.
   */
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
