package dev.holdfast.process;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories for temporary files ({@link TemporaryPlace}) that killed workers left. They may
 * hold the document of a ticket, or copies of source files. A process uses one for some minutes at
 * most, so one of yesterday is unused, unless a process listens at a socket in it.
 *
 * @param place where they are made; need not exist
 */
public record LeftStreams(Path place, InstantSource clock) {
  private static final Logger log = LoggerFactory.getLogger(LeftStreams.class);
  private static final Pattern NAME =
      Pattern.compile(
          Stream.of(TemporaryPlace.values())
              .map(TemporaryPlace::prefix)
              .collect(Collectors.joining("|", "(?:", ")[0-9]+")));
  private static final Duration KEPT = Duration.ofDays(1);

  /** Returns those in the place that this process itself uses. */
  public static LeftStreams ofThisMachine() {
    return new LeftStreams(Path.of(System.getProperty("java.io.tmpdir")), InstantSource.system());
  }

  /** Deletes those of this process's user. What cannot be deleted stays for the next time. */
  public void delete() {
    if (!Files.isDirectory(place)) {
      return;
    }
    Instant old = clock.instant().minus(KEPT);
    try (DirectoryStream<Path> directories = Files.newDirectoryStream(place, "holdfast-*")) {
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
        log.info("Deleting {}: the worker that made it was killed", directory);
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
            .equals(ProgramUser.ownUid())
        && !isListenedAt(directory);
  }

  private static boolean isListenedAt(Path directory) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (isSocket(entry) && answers(entry)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isSocket(Path entry) throws IOException {
    return Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .isOther();
  }

  /** True if a process listens. Does not wait for a busy listener. */
  private static boolean answers(Path socket) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.configureBlocking(false);
      channel.connect(UnixDomainSocketAddress.of(socket));
      return true;
    } catch (ConnectException e) {
      return false;
    }
  }
}
