package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("issue 20, 1.4: the token of a start")
class LocalTokenTest {
  private static final String KNOWN = "a-token-that-somebody-else-knows";

  @TempDir private Path directory;
  private Path home;

  @BeforeEach
  void prepare() throws IOException {
    home = Files.createDirectory(directory.resolve(".holdfast"));
  }

  private boolean isTaken() {
    try (LocalToken token = LocalToken.in(home)) {
      return token.access().bearing(KNOWN).isPresent();
    }
  }

  private void plant() throws IOException {
    Files.writeString(home.resolve("token"), KNOWN);
  }

  @Test
  @DisplayName("is new, for its user alone, and replaces a file or a link in its place")
  void fresh() throws IOException {
    Path elsewhere = Files.writeString(directory.resolve("elsewhere"), KNOWN);
    Files.createSymbolicLink(home.resolve("token"), elsewhere);
    assertThat(isTaken()).isFalse();
    assertThat(home.resolve("token")).isRegularFile();
    assertThat(elsewhere).hasContent(KNOWN);
    for (String each : new String[] {"token", "token.lock"}) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve(each))))
          .isEqualTo("rw-------");
    }
  }

  @Test
  @DisplayName("is said to be in its file only where it could be kept there")
  void kept() throws IOException {
    try (LocalToken token = LocalToken.in(home)) {
      assertThat(token.isKept()).isTrue();
    }
    Path file = Files.writeString(directory.resolve("file"), "");
    try (LocalToken token = LocalToken.in(file)) {
      assertThat(token.isKept()).isFalse();
    }
  }

  @Test
  @DisplayName("is not the one that somebody put into a directory which everybody may write to")
  void everybodys() throws IOException {
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
    plant();
    try (FileChannel lock =
            FileChannel.open(
                home.resolve("token.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        FileLock held = lock.lock(0, Long.MAX_VALUE, true)) {
      assertThat(held.isShared()).isTrue();
      assertThat(isTaken()).isFalse();
    }
  }

  @Test
  @DisplayName(
      "is in no commit of a project that a worker runs in, unless its owner says otherwise")
  void ignored() throws IOException {
    LocalToken.in(home).close();
    assertThat(home.resolve(".gitignore")).hasContent("*");
    Files.writeString(home.resolve(".gitignore"), "token\n");
    LocalToken.in(home).close();
    assertThat(home.resolve(".gitignore")).hasContent("token");
  }

  @Test
  @DisplayName("makes a cookie of one name in one directory, over restarts, and another elsewhere")
  void cookie() throws IOException {
    String name = cookieName(home);
    assertThat(cookieName(home)).isEqualTo(name);
    assertThat(cookieName(Files.createDirectory(directory.resolve("another")))).isNotEqualTo(name);
  }

  private static String cookieName(Path home) {
    try (LocalToken token = LocalToken.in(home)) {
      return token.access().cookies().name();
    }
  }

  @Test
  @DisplayName("is not kept in another user's directory")
  void anothers() throws IOException {
    UserPrincipal nobody =
        home.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
    assumeTrue(Files.getOwner(home).getName().equals("root"), "may give files away");
    Files.setOwner(home, nobody);
    plant();
    assertThat(isTaken()).isFalse();
    assertThat(home.resolve("token")).hasContent(KNOWN);
  }
}
