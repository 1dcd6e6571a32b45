package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A directory that programs have worked in")
class DirectoryTreeTest {
  private static final String NAME = "0123456789".repeat(10);

  @TempDir private Path temp;

  /** Deeper than the system lets any path lead: each time what there is goes to the bottom. */
  private Path deep() throws IOException {
    Path tree = Files.createDirectories(temp.resolve("tree/end"));
    Files.createSymbolicLink(tree.resolve("link"), temp);
    for (int i = 0; i < 10; i++) {
      Path bottom = Files.createDirectories(temp.resolve("next/" + (NAME + "/").repeat(10)));
      Files.writeString(bottom.resolve("file"), "x");
      Files.move(temp.resolve("tree"), bottom.resolve("tree"));
      Files.move(temp.resolve("next"), temp.resolve("tree"));
    }
    return temp.resolve("tree");
  }

  @Test
  @DisplayName("is deleted however deep it is, and what its links lead to is left")
  void depth() throws IOException {
    Path kept = Files.writeString(temp.resolve("kept"), "x");
    Path tree = deep();
    DirectoryTree.delete(tree);
    assertThat(tree).doesNotExist();
    assertThat(temp).isDirectoryContaining(kept::equals).isDirectoryNotContaining("glob:**tree**");
  }
}
