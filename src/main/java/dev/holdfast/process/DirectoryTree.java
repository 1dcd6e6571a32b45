package dev.holdfast.process;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** Handles whole directories that programs have worked in. Follows no links. */
public final class DirectoryTree {
  /**
   * The most characters of the names that lead from the top to what is deleted there. A program can
   * make directories deeper than any path may be long; deeper ones are moved to the top first.
   */
  private static final int LONGEST = 700;

  /** The bytes of a path beyond which no program can be asked to look into a directory. */
  private static final int TOO_DEEP = 3_000;

  private DirectoryTree() {}

  /** One pass over a tree. */
  private static final class Deletion {
    private final Path top;
    private MountPoints mounts;
    private boolean moved;

    private Deletion(Path top) throws IOException {
      this.top = top;
      this.mounts = MountPoints.in(top);
    }

    private void delete(Path path) throws IOException {
      if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        mounts.refuse(path);
        try {
          enter(path);
          if (path.toString().length() - top.toString().length() > LONGEST) {
            Files.move(path, top.resolve(UUID.randomUUID().toString()));
            moved = true;
            mounts = MountPoints.in(top);
            return;
          }
          deleteEntries(path);
        } catch (NoSuchFileException e) {
          return;
        }
      }
      if (!path.equals(top)) {
        Files.deleteIfExists(path);
      }
    }

    private void deleteEntries(Path directory) throws IOException {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
        for (Path entry : entries) {
          delete(entry);
        }
      }
    }
  }

  /**
   * Deletes a path with all that is in it, if it exists. Opens directories that a program has
   * closed to itself. Another process may delete the same path at the same time.
   *
   * @throws IOException also if a file system is mounted in it, whose files stay
   */
  public static void delete(Path path) throws IOException {
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      deleteAllIn(path);
    }
    Files.deleteIfExists(path);
  }

  private static void deleteAllIn(Path top) throws IOException {
    try {
      Deletion deletion;
      do {
        deletion = new Deletion(top);
        deletion.delete(top);
      } while (deletion.moved);
    } catch (NoSuchFileException e) {
      // Another process has deleted it.
    }
  }

  /**
   * Makes everything in a directory readable and removable for its owner. Deletes what is no file,
   * directory or link, such as pipes, and directories deeper than any path may be long. Leaves what
   * is mounted in it.
   */
  public static void open(Path directory) throws IOException {
    open(directory, MountPoints.in(directory));
  }

  private static void open(Path directory, MountPoints mounts) throws IOException {
    if (mounts.has(directory)) {
      return;
    }
    allow(directory, "rwx------");
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        BasicFileAttributes attributes =
            Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (attributes.isDirectory() && bytes(entry) > TOO_DEEP) {
          delete(entry);
        } else if (attributes.isDirectory()) {
          open(entry, mounts);
        } else if (attributes.isRegularFile()) {
          allow(entry, "rw-------");
        } else if (attributes.isOther()) {
          Files.delete(entry);
        }
      }
    }
  }

  private static int bytes(Path path) {
    return path.toString().getBytes(StandardCharsets.UTF_8).length;
  }

  private static void allow(Path path, String permissions) throws IOException {
    Set<PosixFilePermission> now = new HashSet<>(Files.getPosixFilePermissions(path));
    if (now.addAll(PosixFilePermissions.fromString(permissions))) {
      Files.setPosixFilePermissions(path, now);
    }
  }

  private static void enter(Path directory) throws IOException {
    if (!Files.isReadable(directory)
        || !Files.isWritable(directory)
        || !Files.isExecutable(directory)) {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    }
  }

  /**
   * Copies the content of a directory. A link stays a link; programs stay executable, as the user
   * who starts them. Pipes, sockets and devices are passed over, because opening a pipe may wait
   * forever.
   *
   * @param from by its real path, if anything is to be left out
   * @param to a directory that is there
   * @param leftOut real paths of what is passed over with all that is in it
   */
  public static void copy(Path from, Path to, Set<Path> leftOut)
      throws IOException, InterruptedException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(from)) {
      for (Path entry : entries) {
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while it copied " + entry);
        }
        if (!leftOut.contains(entry)) {
          copyEntry(entry, to.resolve(entry.getFileName()), leftOut);
        }
      }
    }
  }

  private static void copyEntry(Path entry, Path target, Set<Path> leftOut)
      throws IOException, InterruptedException {
    BasicFileAttributes attributes =
        Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (attributes.isDirectory()) {
      copy(entry, Files.createDirectory(target), leftOut);
    } else if (attributes.isSymbolicLink()) {
      Files.copy(entry, target, LinkOption.NOFOLLOW_LINKS);
    } else if (attributes.isRegularFile()) {
      copyFile(entry, target);
    }
  }

  /**
   * Copies a file. Files.copy would keep the setuid bit, which a hardened service may not give to
   * any file.
   */
  private static void copyFile(Path file, Path target) throws IOException, InterruptedException {
    FileAttribute<?> permissions =
        PosixFilePermissions.asFileAttribute(
            Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
        OutputStream out =
            Channels.newOutputStream(
                Files.newByteChannel(target, Set.of(CREATE_NEW, WRITE), permissions))) {
      in.transferTo(out);
    } catch (ClosedByInterruptException e) {
      Thread.interrupted();
      throw new InterruptedException("interrupted while it copied " + file);
    }
  }
}
