package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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
  @DisplayName("those of another user stay, and so does a place that is not there")
  void others() throws Exception {
    Path theirs = make("holdfast-streams-1", Duration.ofDays(2));
    if (ProgramUser.isRoot()) {
      Files.setAttribute(theirs, "unix:uid", 65534, LinkOption.NOFOLLOW_LINKS);
      assertThat(left()).containsExactly("holdfast-streams-1");
    }
    new LeftStreams(root.resolve("none"), InstantSource.fixed(NOW)).delete();
  }
}
