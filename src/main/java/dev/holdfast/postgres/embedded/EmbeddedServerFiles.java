package dev.holdfast.postgres.embedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** Does the few things that an embedded server needs with files. */
final class EmbeddedServerFiles {
  private EmbeddedServerFiles() {}

  static Optional<String> read(Path file) throws IOException {
    try {
      return Optional.of(Files.readString(file));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /**
   * Replaces the file at once, so that a reader sees the old or the new text; readable by its owner
   * only. Leaves nothing where it fails: on a full disk a worker tries each minute.
   */
  static void writePrivate(Path file, String text) throws IOException {
    Path temporary =
        Files.createTempFile(
            file.resolveSibling(""),
            file.getFileName().toString(),
            ".new",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.writeString(temporary, text);
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  /** Gives the tree to a user if it belongs to another. Needs root. */
  static void giveTo(Path root, int uid) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            return visitFile(directory, attributes);
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (uid(file) != uid) {
              Files.setAttribute(file, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Returns the numeric owner of a file. */
  static int uid(Path file) throws IOException {
    return (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }
}
