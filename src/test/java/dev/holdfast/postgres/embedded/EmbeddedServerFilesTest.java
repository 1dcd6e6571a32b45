package dev.holdfast.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedServerFilesTest {
  @Test
  @DisplayName("a file that cannot be written leaves none beside it, however often it is tried")
  void leavesNothing(@TempDir Path directory) throws Exception {
    Path file = Files.createDirectory(directory.resolve("file"));
    Files.createDirectory(file.resolve("in the way"));
    assertThatThrownBy(() -> EmbeddedServerFiles.writePrivate(file, "text"))
        .isInstanceOf(IOException.class);
    assertThat(directory.toFile().list()).containsExactly("file");
  }
}
