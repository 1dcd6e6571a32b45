package dev.holdfast.repair.git;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NestedRepositoriesTest {
  private static final Path ENDLESS = Path.of("/dev/zero");

  @TempDir private Path directory;

  @Test
  @DisplayName(
      "a repository of another name, which a .git file leads to, keeps no link to a device either")
  void elsewhere() throws Exception {
    Path inner = Files.createDirectories(directory.resolve("d/inner"));
    Files.writeString(inner.resolve(".git"), "gitdir: ../other\n");
    Path refs = Files.createDirectories(directory.resolve("d/other/refs/heads"));
    Files.writeString(directory.resolve("d/other/HEAD"), "ref: refs/heads/main\n");
    Path ref = Files.createSymbolicLink(refs.resolve("main"), ENDLESS);
    Path plain = Files.createSymbolicLink(directory.resolve("d/zero"), ENDLESS);
    Path empty = Files.createSymbolicLink(refs.resolve("none"), Path.of("/dev/null"));
    assertThat(NestedRepositories.findAndClear(directory)).containsExactly("d/inner");
    assertThat(Files.exists(ref, LinkOption.NOFOLLOW_LINKS)).isFalse();
    assertThat(plain).isSymbolicLink();
    assertThat(empty).isSymbolicLink();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a file", "a link"})
  @DisplayName("nor does one that says that another has its refs, where it says so")
  void common(String head) throws Exception {
    Path linked = Files.createDirectories(directory.resolve("d/linked"));
    if (head.equals("a file")) {
      Files.writeString(linked.resolve("HEAD"), "ref: refs/heads/main\n");
    } else {
      Files.createSymbolicLink(linked.resolve("HEAD"), Path.of("refs/heads/main"));
    }
    Path common = Files.createSymbolicLink(linked.resolve("commondir"), ENDLESS);
    NestedRepositories.findAndClear(directory);
    assertThat(Files.exists(common, LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  @Test
  @DisplayName("a .gitignore or a ref that would fill git's memory is deleted, a pack is not")
  void huge() throws Exception {
    Path ignore = sparse("d/.gitignore");
    Path ref = sparse("n/.git/refs/heads/main");
    Path pack = sparse("n/.git/objects/pack/one.pack");
    Path product = sparse("d/product");
    assertThat(NestedRepositories.findAndClear(directory)).containsExactly("n");
    assertThat(ignore).doesNotExist();
    assertThat(ref).doesNotExist();
    assertThat(pack).exists();
    assertThat(product).exists();
  }

  private Path sparse(String name) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
      made.setLength(1L << 30);
    }
    return file;
  }
}
