package dev.holdfast.process;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Whole directories that programs have worked in. Follows no links. */
public final class DirectoryTree {
  private DirectoryTree() {}

  /**
   * Deletes it with all that is in it, if it is there. Opens up directories that a program has
   * closed to itself. Somebody else may delete the same at the same time.
   */
  public static void delete(Path path) throws IOException {
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      try {
        open(path);
        deleteEntries(path);
      } catch (NoSuchFileException e) {
        return;
      }
    }
    Files.deleteIfExists(path);
  }

  private static void open(Path directory) throws IOException {
    if (!Files.isReadable(directory)
        || !Files.isWritable(directory)
        || !Files.isExecutable(directory)) {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    }
  }

  private static void deleteEntries(Path directory) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        delete(entry);
      }
    }
  }

  /**
   * Copies what is in a directory. A link stays the link it is; programs stay executable.
   *
   * @param to a directory that is there
   */
  public static void copy(Path from, Path to) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(from)) {
      for (Path entry : entries) {
        Path target = to.resolve(entry.getFileName());
        if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
          copy(entry, Files.createDirectory(target));
        } else {
          Files.copy(entry, target, LinkOption.NOFOLLOW_LINKS);
        }
      }
    }
  }
}
