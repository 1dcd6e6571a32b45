package dev.holdfast.process;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Gets what a program needs from this machine, and says what is missing on a machine without room.
 */
public final class MachineLimits {
  /** The least room, in bytes, without which a disk counts as full. */
  private static final int ROOM = 1 << 20;

  private MachineLimits() {}

  static NotPreparedException noHelper(IOException cause) {
    return new NotPreparedException(
        "this worker's Java cannot start programs any more ("
            + String.valueOf(cause.getMessage()).lines().findFirst().orElse("")
            + "): start the worker again, as after an update of Java in its place",
        cause);
  }

  /** Makes the exception for a process or a thread that found no room. */
  public static NotPreparedException noProcesses(Throwable cause) {
    return new NotPreparedException(
        "no more programs can be started on this machine ("
            + cause.getMessage()
            + "): raise the worker's limits of processes and open files (ulimit -u, -n, pids.max),"
            + " or lower its concurrency",
        cause);
  }

  /**
   * Makes a new directory for a program that is to be started.
   *
   * @throws NotPreparedException if this machine has no room for it
   */
  public static Path temporaryDirectory(TemporaryPlace place) {
    try {
      return Files.createTempDirectory(place.prefix());
    } catch (IOException e) {
      throw noStreams(e);
    }
  }

  /**
   * Makes a new directory for a ticket in a place of the worker's own. Makes that place too where
   * it is missing.
   *
   * @throws NotPreparedException if this machine has no room for it, though the place is as a
   *     person has to make it
   * @throws IOException if it is not
   */
  public static Path directoryIn(Path place, String prefix) throws IOException {
    try {
      Files.createDirectories(place);
      return Files.createTempDirectory(place, prefix);
    } catch (IOException e) {
      if (isRight(place)) {
        throw new NotPreparedException(
            "no directory can be made in " + place + " (" + why(e) + "): make room there", e);
      }
      throw e;
    }
  }

  /**
   * Requires that a place of the worker's own has room, after a ticket's work failed there and what
   * it left was deleted. Where it has, what the ticket needs is at fault, such as a copy that is
   * larger than the disk: that must not keep the worker from its other tickets.
   *
   * @throws NotPreparedException if this machine has no room there, though the place is as a person
   *     has to make it
   */
  public static void requireRoom(Path place, IOException failure) {
    try {
      Files.createDirectories(place);
      Path file = Files.createTempFile(place, "room-", "");
      try {
        Files.write(file, new byte[ROOM]);
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      if (isRight(place)) {
        failure.addSuppressed(e);
        throw new NotPreparedException(
            "nothing can be written in " + place + " (" + why(e) + "): make room there", failure);
      }
    }
  }

  /** True if a directory may be written to, or made. */
  private static boolean isRight(Path place) {
    Path there = place.toAbsolutePath();
    while (there.getParent() != null && Files.notExists(there)) {
      there = there.getParent();
    }
    return Files.isDirectory(there) && Files.isWritable(there);
  }

  static NotPreparedException noStreams(IOException cause) {
    return new NotPreparedException(
        "no program can be prepared in "
            + System.getProperty("java.io.tmpdir")
            + " ("
            + why(cause)
            + "): make room there, raise the limit of open files (ulimit -n), or start the worker"
            + " with another TMPDIR",
        cause);
  }

  /** Returns the reason of an error, because Java's message is often only the path. */
  private static String why(IOException e) {
    if (e instanceof FileSystemException file) {
      return Objects.requireNonNullElse(file.getReason(), e.getClass().getSimpleName());
    }
    return String.valueOf(e.getMessage());
  }
}
