package dev.holdfast.tool.patch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tool.git.GitProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BothLineEndsIT {
  @TempDir private Path directory;

  @Test
  @DisplayName(
      "A block whose lines are in a file with LF and with CRLF is refused: it has two places")
  void twoPlaces() throws Exception {
    Path file = directory.resolve("f.txt");
    Files.writeString(file, "one\r\nx\r\ntwo\nx\nthree\n");
    String answer =
        """
        f.txt
        <<<<<<< SEARCH
        x
        =======
        y
        >>>>>>> REPLACE
        """;
    PatchResult result =
        new PatchApplier(GitProgram.unconfined(System.getenv()), PatchLimits.DEFAULT)
            .apply(directory, answer);
    assertThat(result).isInstanceOf(PatchResult.Rejected.class);
    assertThat(((PatchResult.Rejected) result).explanation()).contains("lines [2, 4]");
    assertThat(Files.readString(file)).isEqualTo("one\r\nx\r\ntwo\nx\nthree\n");
  }

  @Test
  @DisplayName("A chunk takes the line ends behind its anchor, in a file with LF and with CRLF")
  void behindAnchor() throws Exception {
    Path file = directory.resolve("f.txt");
    Files.writeString(file, "x\ntwo\none\r\nx\r\n");
    String answer =
        """
        *** Begin Patch
        *** Update File: f.txt
        @@ one
        -x
        +y
        *** End Patch
        """;
    PatchResult result =
        new PatchApplier(GitProgram.unconfined(System.getenv()), PatchLimits.DEFAULT)
            .apply(directory, answer);
    assertThat(result).isInstanceOf(PatchResult.Applied.class);
    assertThat(Files.readString(file)).isEqualTo("x\ntwo\none\r\ny\r\n");
  }
}
