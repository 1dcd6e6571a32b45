package dev.holdfast.process;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories of {@link ProgramStreams} that workers left which were killed while they started
 * a program. They may hold the document of a ticket. Whoever starts a program has its directory for
 * some milliseconds, so that one of yesterday is nobody's.
 *
 * @param place where they are made; need not exist
 */
public record LeftStreams(Path place, InstantSource clock) {
  private static final Logger log = LoggerFactory.getLogger(LeftStreams.class);
  private static final Pattern NAME = Pattern.compile(ProgramStreams.DIRECTORY + "[0-9]+");
  private static final Duration KEPT = Duration.ofDays(1);

  /** Those that programs of this process are started with. */
  public static LeftStreams ofThisMachine() {
    return new LeftStreams(Path.of(System.getProperty("java.io.tmpdir")), InstantSource.system());
  }

  /** Deletes those of this process's user. What cannot be deleted is left for the next time. */
  public void delete() {
    if (!Files.isDirectory(place)) {
      return;
    }
    Instant old = clock.instant().minus(KEPT);
    try (DirectoryStream<Path> directories =
        Files.newDirectoryStream(place, ProgramStreams.DIRECTORY + "*")) {
      for (Path directory : directories) {
        deleteIfLeft(directory, old);
      }
    } catch (IOException | DirectoryIteratorException e) {
      log.debug("{} could not be looked through: {}", place, e.toString());
    }
  }

  private static void deleteIfLeft(Path directory, Instant old) {
    try {
      if (isLeft(directory, old)) {
        log.info("Deleting {}: the worker that was starting a program was killed", directory);
        DirectoryTree.delete(directory);
      }
    } catch (IOException e) {
      log.debug("{} could not be deleted: {}", directory, e.toString());
    }
  }

  private static boolean isLeft(Path directory, Instant old) throws IOException {
    return NAME.matcher(directory.getFileName().toString()).matches()
        && Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
        && Files.getLastModifiedTime(directory, LinkOption.NOFOLLOW_LINKS).toInstant().isBefore(old)
        && Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS)
            .equals(ProgramUser.ownUid());
  }
}
