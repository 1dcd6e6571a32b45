package dev.holdfast.tool.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnixSocketsTest {
  private static final String BEFORE_PATH = "0000: 00000002 00000000 00010000 0001 01 12345 ";

  @TempDir private Path directory;

  @Test
  @DisplayName(
      "issue 20: where nobody can say which sockets there are, nothing is confined by guess")
  void unreadable() {
    assertThatThrownBy(() -> UnixSockets.in(directory.resolve("none")))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cannot be listed");
  }

  @Test
  @DisplayName("issue 20: a neighbour's socket with an odd name hides none of the others")
  void oddNames() throws Exception {
    String table =
        "Num RefCount Protocol Flags Type St Inode Path\n"
            + BEFORE_PATH
            + "/srv/a socket\n"
            + BEFORE_PATH
            + "/srv/\u00ff\u00fe\n"
            + BEFORE_PATH
            + "@abstract\n"
            + BEFORE_PATH
            + "/tmp/inside\n"
            + "garbage\n"
            + BEFORE_PATH
            + "/srv/last\n";
    Path file = Files.writeString(directory.resolve("unix"), table, StandardCharsets.ISO_8859_1);
    assertThat(UnixSockets.in(file)).contains(Path.of("/srv/a socket"), Path.of("/srv/last"));
  }
}
