package dev.holdfast.repair.git;

import dev.holdfast.process.DirectoryTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes directories in which programs may still be at work. */
final class Removal {
  private static final Logger log = LoggerFactory.getLogger(Removal.class);

  private Removal() {}

  /**
   * Moves a directory out of the way at once, then deletes it. A program that a killed worker left
   * behind may still write there. What that keeps from being deleted is deleted the next time.
   */
  static void aside(Path directory, Path trash) throws IOException {
    try {
      Files.createDirectories(trash);
      if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
        Files.move(directory, Files.createTempDirectory(trash, "old-").resolve("it"));
      }
    } catch (IOException e) {
      // A disk that the directory has filled has no room for one more directory.
      DirectoryTree.delete(directory);
    }
    try {
      DirectoryTree.delete(trash);
    } catch (IOException e) {
      log.warn("{} cannot be deleted yet: {}", trash, e.toString());
    }
  }
}
