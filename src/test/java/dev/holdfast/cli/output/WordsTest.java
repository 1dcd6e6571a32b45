package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  @Test
  @DisplayName("a payload that is a file's name is told how a file is given")
  void payload() {
    InputStream in = InputStream.nullInputStream();
    assertThatThrownBy(() -> Words.payload("job.json", in))
        .hasMessage("--payload: write @job.json for what is in that file");
    assertThat(Words.payload("\"job.json\"", in)).isEqualTo("\"job.json\"");
  }

  @ParameterizedTest
  @CsvSource({
    "on_hodl,on_hold",
    "hold,on_hold",
    "review,needs_review",
    "cancel,cancelled",
    "progress,in_progress"
  })
  @DisplayName("a state that is none is told with the one that was probably meant")
  void probablyMeant(String word, String meant) {
    assertThatThrownBy(() -> Words.state(word))
        .hasMessageContaining("did you mean " + meant + "? allowed: ready, ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"failed", "finished", "held", "running", "waiting", "open", ""})
  @DisplayName("of a state that is none and near none nothing is guessed")
  void noGuess(String word) {
    assertThatThrownBy(() -> Words.state(word))
        .hasMessage(
            "\""
                + word
                + "\" is no state; allowed: ready, in_progress, needs_review, on_hold, done,"
                + " cancelled");
  }
}
