package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftStreamsTest {
  private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");

  @TempDir private Path root;

  private Path make(String name, Duration age) throws IOException {
    Path directory = Files.createDirectory(root.resolve(name));
    Files.writeString(directory.resolve("stdin"), "{}");
    Files.setLastModifiedTime(directory, FileTime.from(NOW.minus(age)));
    return directory;
  }

  private Set<String> left() throws IOException {
    new LeftStreams(root, InstantSource.fixed(NOW)).delete();
    try (Stream<Path> children = Files.list(root)) {
      return children.map(each -> each.getFileName().toString()).collect(Collectors.toSet());
    }
  }

  @Test
  @DisplayName(
      "the streams of programs whose worker was killed as it started them are deleted after a day")
  void deleted() throws Exception {
    make("holdfast-streams-1", Duration.ofHours(25));
    make("holdfast-streams-2", Duration.ofHours(23));
    Path other = make("holdfast-streams-x", Duration.ofHours(25));
    Files.createSymbolicLink(root.resolve("holdfast-streams-3"), other);
    Files.createFile(root.resolve("holdfast-streams-4"));
    Files.setLastModifiedTime(
        root.resolve("holdfast-streams-4"), FileTime.from(NOW.minus(Duration.ofDays(2))));

    assertThat(left())
        .containsExactlyInAnyOrder(
            "holdfast-streams-2", "holdfast-streams-x", "holdfast-streams-3", "holdfast-streams-4");
    assertThat(other.resolve("stdin")).exists();
  }

  @Test
  @DisplayName(
      "so are copies of files, directories of sandboxes and those of proxies that nobody listens"
          + " at")
  void others() throws Exception {
    make("holdfast-blocks-1", Duration.ofHours(25));
    make("holdfast-sandbox-2", Duration.ofHours(25));
    make("holdfast-backup-3", Duration.ofHours(25));
    Path used = make("holdfast-proxy-4", Duration.ofHours(25));
    Path left = make("holdfast-proxy-5", Duration.ofHours(25));
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(used.resolve("s")));
      ServerSocketChannel.open(StandardProtocolFamily.UNIX)
          .bind(UnixDomainSocketAddress.of(left.resolve("s")))
          .close();
      for (Path each : List.of(used, left)) {
        Files.setLastModifiedTime(each, FileTime.from(NOW.minus(Duration.ofHours(25))));
      }
      assertThat(left()).containsExactlyInAnyOrder("holdfast-backup-3", "holdfast-proxy-4");
    }
  }

  @Test
  @DisplayName("those of another user stay, and so does a place that is not there")
  void anotherUser() throws Exception {
    Path theirs = make("holdfast-streams-1", Duration.ofDays(2));
    if (ProgramUser.isRoot()) {
      Files.setAttribute(theirs, "unix:uid", 65534, LinkOption.NOFOLLOW_LINKS);
      assertThat(left()).containsExactly("holdfast-streams-1");
    }
    new LeftStreams(root.resolve("none"), InstantSource.fixed(NOW)).delete();
  }
}
