package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@EverySetup
class WordsTest {
  @Test
  @DisplayName("the byte order mark that an editor put before a text is no part of it")
  void mark(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("guidance.txt");
    Files.writeString(file, "\uFEFFthe file is in /data now");
    try (InputStream in = new ByteArrayInputStream(Files.readAllBytes(file))) {
      assertThat(Words.textOrFile("--guidance", "@-", in)).isEqualTo("the file is in /data now");
      assertThat(Words.textOrFile("--guidance", "@" + file, in))
          .isEqualTo("the file is in /data now");
    }
  }
}
