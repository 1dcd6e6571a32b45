package dev.holdfast.tool.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.tool.SecurityViolationException;
import dev.holdfast.tool.ToolReply;
import dev.holdfast.tool.ToolReply.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A workspace")
@Timeout(120)
class WorkspaceTest {
  @TempDir Path temp;
  private Path root;
  private Path outside;
  private Workspace workspace;
  private ToolBench bench;

  @BeforeEach
  void setUp() throws IOException {
    root = Files.createDirectory(temp.resolve("work"));
    outside = Files.createDirectory(temp.resolve("outside"));
    Files.writeString(outside.resolve("secret.txt"), "secret");
    Files.createDirectories(root.resolve("src/deep"));
    Files.writeString(root.resolve("src/a.txt"), "a\n");
    Files.createSymbolicLink(root.resolve("out"), outside);
    Files.createSymbolicLink(root.resolve("secret"), outside.resolve("secret.txt"));
    Files.createSymbolicLink(root.resolve("src/deep/up"), Path.of("../../../outside"));
    Files.createSymbolicLink(root.resolve("nowhere"), temp.resolve("absent"));
    Files.createSymbolicLink(root.resolve("inside"), Path.of("src"));
    workspace = Workspace.of(root);
    bench = ToolBench.of(root);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../outside/secret.txt", "src/../../outside/secret.txt", "/etc/passwd", "~/.ssh/id_rsa",
        "out/secret.txt", "secret", "src/deep/up/secret.txt", "inside/deep/up/secret.txt",
        "nowhere", "out", ".."
      })
  @DisplayName("C20: what leads out, by .., an absolute path or a link, is a security violation")
  void refuses(String path) throws Exception {
    for (ToolReply reply :
        new ToolReply[] {
          bench.call("read_file", Map.of("path", path)),
          bench.call("write_file", Map.of("path", path, "content", "x")),
          bench.call("edit_file", Map.of("path", path, "search", "secret", "replace", "x")),
          bench.call("list_files", Map.of("path", path)),
          bench.call("grep", Map.of("path", path, "pattern", "s"))
        }) {
      assertThat(reply.outcome()).as(reply.toString()).isEqualTo(Outcome.MODEL_RETRY);
      assertThat(reply.content()).startsWith("Security violation: ");
      assertThat(reply.executions()).isEqualTo(1);
    }
    assertThat(outside.resolve("secret.txt")).hasContent("secret");
    assertThat(temp.resolve("absent")).doesNotExist();
    assertThat(outside).isDirectoryNotContaining(path2 -> path2.endsWith("new.txt"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"out/new.txt", "out/new/new.txt", "src/deep/up/new.txt"})
  @DisplayName("C20: no new file comes to be outside either")
  void createsNothingOutside(String path) throws Exception {
    assertThat(bench.call("write_file", Map.of("path", path, "content", "x")).outcome())
        .isEqualTo(Outcome.MODEL_RETRY);
    assertThat(outside.toFile().list()).containsExactly("secret.txt");
  }

  @Test
  @DisplayName("C20: a directory that becomes a link between the check and the use is refused")
  void linkedAfterTheCheck() throws Exception {
    Files.createDirectory(root.resolve("real"));
    Files.writeString(root.resolve("real/secret.txt"), "mine");
    Path checked = workspace.resolve("real/secret.txt");
    Files.move(root.resolve("real"), temp.resolve("parked"));
    Files.createSymbolicLink(root.resolve("real"), outside);
    assertThatThrownBy(
            () ->
                workspace.in(
                    checked, true, (directory, name) -> Workspace.attributes(directory, name)))
        .isInstanceOf(SecurityViolationException.class)
        .hasMessageContaining("has become a link");
  }

  @Test
  @DisplayName(
      "C20: a directory that is exchanged for a link again and again never lets a file out")
  void race() throws Exception {
    Path real = Files.createDirectory(root.resolve("real"));
    Path link = Files.createSymbolicLink(temp.resolve("link"), outside);
    Path parked = temp.resolve("parked");
    AtomicBoolean done = new AtomicBoolean();
    Thread attacker =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!done.get()) {
                    exchange(real, parked, link);
                  }
                });
    int written = 0;
    try {
      for (int i = 0; i < 1000; i++) {
        try {
          workspace.write("real/new.txt", "x".getBytes(StandardCharsets.UTF_8));
          written++;
          workspace.open("real/secret.txt").close();
          throw new AssertionError("the outside was read");
        } catch (IOException | SecurityViolationException e) {
          // Whether it is refused or just not found: it must not go through.
        }
      }
    } finally {
      done.set(true);
      attacker.join();
    }
    assertThat(outside.toFile().list()).containsExactly("secret.txt");
    assertThat(written).isPositive();
  }

  private static void exchange(Path real, Path parked, Path link) {
    try {
      Files.move(real, parked, StandardCopyOption.ATOMIC_MOVE);
      Files.move(link, real, StandardCopyOption.ATOMIC_MOVE);
      Files.move(real, link, StandardCopyOption.ATOMIC_MOVE);
      Files.move(parked, real, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      restore(real, parked);
    }
  }

  /** The writer has made the directory anew while it was away. */
  private static void restore(Path real, Path parked) {
    try {
      if (Files.exists(parked)) {
        Files.deleteIfExists(real.resolve("new.txt"));
        Files.deleteIfExists(real);
        Files.move(parked, real, StandardCopyOption.ATOMIC_MOVE);
      }
    } catch (IOException e) {
      // The writer was faster once more: the next exchange fails, and comes here again.
    }
  }

  @Test
  @DisplayName("Links that stay inside work, to read and to write through")
  void innerLinks() throws Exception {
    assertThat(bench.text("read_file", Map.of("path", "inside/a.txt"))).contains("1\ta");
    bench.call("write_file", Map.of("path", "inside/a.txt", "content", "b"));
    assertThat(root.resolve("src/a.txt")).hasContent("b");
    assertThat(root.resolve("inside")).isSymbolicLink();
  }

  @Test
  @DisplayName("A file is replaced as a whole and keeps its permissions; directories are made")
  void writes() throws Exception {
    Path script = root.resolve("src/a.txt");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-x---"));
    assertThat(bench.text("write_file", Map.of("path", "src/a.txt", "content", "é")))
        .isEqualTo("Replaced src/a.txt: 2 bytes.");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(script)))
        .isEqualTo("rwxr-x---");
    assertThat(bench.text("write_file", Map.of("path", "x/y/z.txt", "content", "")))
        .isEqualTo("Created x/y/z.txt: 0 bytes.");
    assertThat(root.resolve("x/y").toFile().list()).containsExactly("z.txt");
  }

  @Test
  @DisplayName("A pipe, a directory, a file as a directory and NUL are refused with what to do")
  void oddFiles() throws Exception {
    new ProcessBuilder("mkfifo", root.resolve("pipe").toString()).start().waitFor();
    assertThat(bench.text("read_file", Map.of("path", "pipe"))).contains("pipe, socket or device");
    assertThat(bench.text("write_file", Map.of("path", "pipe", "content", ""))).contains("pipe");
    assertThat(bench.text("read_file", Map.of("path", "src"))).contains("is a directory");
    assertThat(bench.text("write_file", Map.of("path", ".", "content", "")))
        .contains("workspace itself");
    assertThat(bench.text("write_file", Map.of("path", "src/a.txt/b", "content", "")))
        .contains("is a file, no directory");
    assertThat(bench.text("read_file", Map.of("path", "a\0b"))).contains("NUL");
    assertThat(bench.text("read_file", Map.of("path", "x".repeat(5000)))).isNotBlank();
    assertThat(bench.call("grep", Map.of("pattern", "a")).outcome()).isEqualTo(Outcome.OK);
  }

  @Test
  @DisplayName("There has to be a directory")
  void noDirectory() {
    assertThatThrownBy(() -> Workspace.of(temp.resolve("absent"))).isInstanceOf(IOException.class);
  }
}
