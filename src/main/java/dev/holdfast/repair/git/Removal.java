package dev.holdfast.repair.git;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes directories that programs have worked in: what they protected, and never behind links.
 */
final class Removal {
  private static final Logger log = LoggerFactory.getLogger(Removal.class);

  private Removal() {}

  /** All of it, if it is there. */
  static void of(Path directory) throws IOException {
    if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes)
              throws IOException {
            if (!Files.isWritable(each) || !Files.isExecutable(each)) {
              Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwx------"));
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path each, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(each);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path each, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            if (e instanceof AccessDeniedException && Files.isDirectory(each)) {
              Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwx------"));
              of(each);
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path each, @Nullable IOException e)
              throws IOException {
            if (e != null) {
              throw e;
            }
            Files.deleteIfExists(each);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /**
   * Out of the way at once, then deleted. A program that a killed worker left behind may still
   * write there; what it keeps from being deleted is deleted the next time.
   */
  static void aside(Path directory, Path trash) throws IOException {
    Files.createDirectories(trash);
    if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      Files.move(directory, Files.createTempDirectory(trash, "old-").resolve("it"));
    }
    try {
      of(trash);
    } catch (IOException e) {
      log.warn("{} cannot be deleted yet: {}", trash, e.toString());
    }
  }
}
