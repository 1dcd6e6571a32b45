package dev.holdfast.testing;

import dev.holdfast.process.DirectoryTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Where tests keep files: in memory where there is room, for hundreds of thousands of small files
 * are made and deleted, each of which costs a disk's file system several times as much. Each JVM
 * has a directory of its own; what a killed one left is deleted by the next.
 */
public final class TestDirectories implements TempDirFactory {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final String PREFIX = "holdfast-tests-of-";

  /** Several times of what all tests need at once. */
  private static final long ROOM_FOR_ALL = 4L << 30;

  /** Servers of other users get through it. */
  private static final FileAttribute<Set<PosixFilePermission>> OPEN = rights("rwxr-xr-x");

  private static final Path PLACE = make();

  /** Memory, or else where temporary files usually are. */
  public static Path place() {
    return PLACE;
  }

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test)
      throws IOException {
    return Files.createTempDirectory(PLACE, "junit-");
  }

  private static FileAttribute<Set<PosixFilePermission>> rights(String words) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(words));
  }

  private static Path make() {
    try {
      Path base = isFit() ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
      deleteLeftovers(base);
      return Files.createDirectories(base.resolve(PREFIX + ProcessHandle.current().pid()), OPEN);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isFit() throws IOException {
    return Files.isWritable(MEMORY)
        && Files.getFileStore(MEMORY).getUsableSpace() > ROOM_FOR_ALL
        && mayHoldPrograms();
  }

  /** Containers often have it, but mounted without the right to start what is in it. */
  private static boolean mayHoldPrograms() throws IOException {
    Path program = Files.createTempFile(MEMORY, "holdfast-", "", rights("rwx------"));
    try {
      return Files.isExecutable(program);
    } finally {
      Files.delete(program);
    }
  }

  private static void deleteLeftovers(Path base) throws IOException {
    try (DirectoryStream<Path> places = Files.newDirectoryStream(base, PREFIX + "*")) {
      for (Path place : places) {
        if (isLeft(place)) {
          DirectoryTree.delete(place);
        }
      }
    }
  }

  private static boolean isLeft(Path place) throws IOException {
    String pid = place.getFileName().toString().substring(PREFIX.length());
    return Files.isWritable(place)
        && pid.matches("\\d{1,18}")
        && ProcessHandle.of(Long.parseLong(pid)).isEmpty();
  }
}
