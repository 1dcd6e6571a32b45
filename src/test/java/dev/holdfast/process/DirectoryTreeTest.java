package dev.holdfast.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.testing.JavaCommand;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A directory that programs have worked in")
class DirectoryTreeTest {
  private static final int NOT_MOUNTED = 77;
  private static final int MODE = 0_7777;
  private static final int SETUID = 0_6000;
  private static final int PERMISSIONS = 0_0540;
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

  /** A program that deletes a directory, in a place where another may mount. */
  static final class Deletion {
    private Deletion() {}

    public static void main(String[] args) throws IOException {
      DirectoryTree.delete(Path.of(args[0]));
    }
  }

  /** What the deletion says of a tree in which something is mounted, with links in its path. */
  private String deletionWith(Path source, Path mountPoint) throws Exception {
    String unshare = ProgramUser.isRoot() ? "-m" : "-rm";
    List<String> command = new ArrayList<>(List.of("unshare", unshare, "sh", "-c"));
    command.add("mount --bind \"$1\" \"$2\" || exit " + NOT_MOUNTED + "; shift 2; exec \"$@\"");
    command.addAll(List.of("sh", source.toString(), mountPoint.toString()));
    Path link = Files.createSymbolicLink(temp.resolve("here"), temp);
    command.addAll(
        JavaCommand.java(
            "-cp",
            System.getProperty("java.class.path"),
            Deletion.class.getName(),
            link.resolve("tree").toString()));
    assumeTrue(ProgramFinder.find("unshare", System.getenv("PATH")).isPresent(), "no unshare");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    boolean refused = process.waitFor() == NOT_MOUNTED || said.startsWith("unshare:");
    assumeFalse(refused, "nothing can be mounted here");
    return said;
  }

  @ParameterizedTest
  @ValueSource(strings = {"tree", "tree/m \\", "tree/inside/file"})
  @Timeout(60)
  @DisplayName("is not deleted where something is mounted in it, and what is mounted stays whole")
  void mounted(String name) throws Exception {
    Path precious = Files.createDirectory(temp.resolve("precious"));
    Path kept = Files.writeString(precious.resolve("kept"), "x");
    boolean isFile = name.endsWith("file");
    Path place = Files.createDirectories(temp.resolve(name));
    if (isFile) {
      Files.delete(place);
      Files.createFile(place);
    }
    String said = deletionWith(isFile ? kept : precious, place);
    assertThat(kept).hasContent("x");
    assertThat(said).contains("FileSystemException", place.getFileName().toString());
    assertThat(place).exists();
  }

  @Test
  @DisplayName("is opened for its owner, with its programs as they are and without its pipes")
  void opened() throws Exception {
    Path tree = Files.createDirectories(temp.resolve("tree/closed"));
    Path file = Files.writeString(tree.resolve("file"), "x");
    Path program = Files.writeString(tree.resolve("program"), "x");
    NamedPipes.make(tree.resolve("pipe1"), tree.resolve("pipe2"));
    Path outside = Files.writeString(temp.resolve("outside"), "x");
    Files.createSymbolicLink(tree.resolve("link"), outside);
    for (Path each : new Path[] {file, outside}) {
      Files.setPosixFilePermissions(each, Set.of());
    }
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("r-xr-xr-x"));
    Files.setPosixFilePermissions(tree, Set.of());
    DirectoryTree.open(Objects.requireNonNull(tree.getParent()));
    assertThat(tree.toFile().list()).containsExactlyInAnyOrder("file", "program", "link");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(tree)))
        .isEqualTo("rwx------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(program)))
        .isEqualTo("rwxr-xr-x");
    assertThat(Files.getPosixFilePermissions(outside)).isEmpty();
  }

  @Test
  @Timeout(20)
  @DisplayName(
      "is copied with its links and programs, and without its pipes, sockets and setuid bits")
  void specialFiles() throws Exception {
    Path from = temp.resolve("from");
    Path to = Files.createDirectory(temp.resolve("to"));
    Files.createDirectories(from.resolve("inside"));
    Path program = Files.writeString(from.resolve("inside/program"), "x");
    // As systemd's RestrictSUIDSGID, which the unit has, forbids to make one.
    Files.setAttribute(program, "unix:mode", SETUID | PERMISSIONS);
    Files.createSymbolicLink(from.resolve("link"), Path.of("nowhere"));
    Path pipe = from.resolve("inside/pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    // Else a copy that opens the pipe would wait for a writer, and the test with it.
    try (FileChannel writer = FileChannel.open(pipe, READ, WRITE);
        ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      writer.write(ByteBuffer.allocate(1));
      socket.bind(UnixDomainSocketAddress.of(from.resolve("socket")));
      CompletableFuture.runAsync(() -> copy(from, to)).get(5, TimeUnit.SECONDS);
    }
    assertThat(to.toFile().list()).containsExactlyInAnyOrder("inside", "link");
    assertThat(to.resolve("inside").toFile().list()).containsExactly("program");
    assertThat(to.resolve("link")).isSymbolicLink();
    assertThat((int) Files.getAttribute(to.resolve("inside/program"), "unix:mode") & MODE)
        .isEqualTo(PERMISSIONS);
  }

  private static void copy(Path from, Path to) {
    try {
      DirectoryTree.copy(from, to, Set.of());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @DisplayName("is not copied any further by a thread that is interrupted")
  void interrupted() throws Exception {
    Path from = Files.createDirectory(temp.resolve("from"));
    Path to = Files.createDirectory(temp.resolve("to"));
    Files.writeString(from.resolve("file"), "x");
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> DirectoryTree.copy(from, to, Set.of()))
        .isInstanceOf(InterruptedException.class);
    assertThat(to).isEmptyDirectory();
  }
}
