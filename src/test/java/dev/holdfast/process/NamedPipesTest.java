package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NamedPipesTest {
  @TempDir private Path directory;

  private interface Way {
    void make(Path... pipes) throws IOException;
  }

  private void check(Way way) throws IOException {
    Path one = directory.resolve("one, größer");
    Path two = directory.resolve("two");

    way.make(one, two);

    for (Path pipe : new Path[] {one, two}) {
      assertThat(Files.readAttributes(pipe, "isOther,isRegularFile"))
          .containsEntry("isOther", true)
          .containsEntry("isRegularFile", false);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(pipe)))
          .isEqualTo("rw-------");
    }
    assertThatThrownBy(() -> way.make(directory.resolve("none/pipe")))
        .isInstanceOf(IOException.class)
        .hasMessageMatching("mkfifo cannot make a pipe in .*none \\(.*\\): is the disk full\\?");
  }

  @Test
  @DisplayName("pipes are made by a call, where that is allowed, and nobody else may open them")
  void call() throws Exception {
    assertThat(NamedPipes.class.getModule().isNativeAccessEnabled()).isTrue();
    check(NamedPipes::make);
  }

  @Test
  @DisplayName("pipes are made by a program, where calls of C are not allowed")
  void program() throws Exception {
    check(NamedPipes::makeByProgram);
  }
}
