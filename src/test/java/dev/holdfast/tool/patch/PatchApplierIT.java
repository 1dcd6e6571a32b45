package dev.holdfast.tool.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import dev.holdfast.tool.git.GitProgram;
import dev.holdfast.tool.git.GitResult;
import dev.holdfast.tool.patch.PatchResult.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The patch applier")
@Timeout(120)
@EverySetup
class PatchApplierIT {
  private static final String HEADERS = "--- a/x.txt\n+++ b/x.txt\n";
  private static final String GOOD = HEADERS + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
  private static final String WRONG_COUNTS = GOOD.replace("-1,3 +1,3", "-1,7 +1,7");

  @TempDir Path root;
  private final List<GitCommand> calls = new ArrayList<>();
  private final Git git = GitProgram.unconfined(System.getenv());

  @BeforeEach
  void setUp() throws IOException {
    Files.writeString(root.resolve("x.txt"), "a\nb\nc\n");
  }

  /** The real git, and a note of each run. */
  private PatchApplier applier(PatchLimits limits) {
    return new PatchApplier(
        command -> {
          calls.add(command);
          return git.run(command);
        },
        limits);
  }

  private PatchResult apply(String answer) throws Exception {
    return applier(PatchLimits.DEFAULT).apply(root, answer);
  }

  private PatchResult.Rejected rejected(String answer) throws Exception {
    return (PatchResult.Rejected) apply(answer);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "long.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
        "--- a/long.txt\n+++ b/long.txt\n@@ -1 +1 @@\n-a\n+b\n"
      })
  @DisplayName("a change next to a line of 9 MB is too large, and no failure of the machine")
  void nextToLongLine(String answer) throws Exception {
    Files.writeString(root.resolve("long.txt"), "a\n" + "x".repeat(9_000_000) + "\nb\n");
    assertThat(rejected(answer).kind()).isEqualTo(Kind.TOO_LARGE);
    assertThat(rejected(answer).explanation()).contains("larger than 8 MiB: leave lines alone");
  }

  @Test
  @DisplayName("E40: a good diff is one standard git apply, and its outcome says what changed")
  void standard() throws Exception {
    PatchResult.Applied applied = (PatchResult.Applied) apply(GOOD);
    assertThat(root.resolve("x.txt")).hasContent("a\nB\nc\n");
    assertThat(applied.filesChanged()).containsExactly("x.txt");
    assertThat(applied.linesAdded()).isEqualTo(1);
    assertThat(applied.linesRemoved()).isEqualTo(1);
    assertThat(applied.size()).isEqualTo(2);
    assertThat(calls).hasSize(1);
    assertThat(calls.getFirst().words()).startsWith("apply").doesNotContain("--recount");
    assertThat(calls.getFirst().environment()).containsEntry("GIT_DIR", "/dev/null");
  }

  @Test
  @DisplayName(
      "a file that is no UTF-8 stays as it is, and the refusal says so: git looks for no letter"
          + " that nobody wrote; far from its odd letters a diff applies, byte for byte")
  void otherEncodings() throws Exception {
    byte[] latin = "café\nb\nx\n".getBytes(StandardCharsets.ISO_8859_1);
    Files.write(root.resolve("x.txt"), latin);
    assertThat(rejected(HEADERS + "@@ -2 +2 @@\n-b\n+B\n").explanation())
        .contains("x.txt is no UTF-8 text: a diff may change it only where")
        .doesNotContain("\uFFFD");
    assertThat(rejected("File: x.txt\n```\nB\n```\n").explanation())
        .contains("x.txt is no UTF-8 text: a block may not change it. A diff may");
    assertThat(calls).isEmpty();
    assertThat(root.resolve("x.txt")).hasBinaryContent(latin);
    Files.write(
        root.resolve("x.txt"), "café\n1\n2\n3\nb\nx\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(apply(HEADERS + "@@ -5 +5 @@\n-b\n+B\n")).isInstanceOf(PatchResult.Applied.class);
    assertThat(root.resolve("x.txt"))
        .hasBinaryContent("café\n1\n2\n3\nB\nx\n".getBytes(StandardCharsets.ISO_8859_1));
  }

  @Test
  @DisplayName("E41: corrupt patch at line: one more git apply, with --recount")
  void recounts() throws Exception {
    assertThat(apply(WRONG_COUNTS)).isInstanceOf(PatchResult.Applied.class);
    assertThat(root.resolve("x.txt")).hasContent("a\nB\nc\n");
    assertThat(calls).hasSize(2);
    assertThat(calls.getFirst().words()).doesNotContain("--recount");
    assertThat(calls.getLast().words()).contains("--recount");
  }

  @Test
  @DisplayName("E41: the words of git 2.54 and later for a corrupt patch lead there too")
  void recountsForNewerGit() throws Exception {
    PatchApplier newer =
        new PatchApplier(
            command -> {
              calls.add(command);
              GitResult result = git.run(command);
              String said =
                  result.stderr().replace("corrupt patch at line ", "corrupt patch at <stdin>:");
              return new GitResult(
                  result.exitCode(), result.stdout(), result.stdoutComplete(), said);
            },
            PatchLimits.DEFAULT);
    assertThat(newer.apply(root, WRONG_COUNTS)).isInstanceOf(PatchResult.Applied.class);
    assertThat(root.resolve("x.txt")).hasContent("a\nB\nc\n");
    assertThat(calls).hasSize(2);
    assertThat(calls.getLast().words()).contains("--recount");
  }

  @Test
  @DisplayName("E41 E45: exactly empty lines are stripped then, lines of spaces stay")
  void strips() throws Exception {
    Files.writeString(root.resolve("x.txt"), "a\n  \nb\nc\n");
    String patch = HEADERS + "@@ -1,9 +1,9 @@\n a\n   \n\n-b\n+B\n c";
    assertThat(apply(patch)).isInstanceOf(PatchResult.Applied.class);
    assertThat(root.resolve("x.txt")).hasContent("a\n  \nB\nc\n");
    assertThat(calls.getFirst().input()).contains("\n\n").endsWith("c\n");
    assertThat(calls.getLast().input()).doesNotContain("\n\n").contains("\n   \n").endsWith("c\n");
  }

  @Test
  @DisplayName("E42: context that does not match is no corrupt patch: one git apply, no retry")
  void mismatch() throws Exception {
    PatchResult.Rejected rejected = rejected(GOOD.replace(" c\n", " C\n"));
    assertThat(rejected.kind()).isEqualTo(Kind.DOES_NOT_APPLY);
    assertThat(rejected.explanation())
        .contains("error: patch failed: x.txt:1")
        .contains("     3\tc");
    assertThat(calls).hasSize(1);
    assertThat(root.resolve("x.txt")).hasContent("a\nb\nc\n");
  }

  @Test
  @DisplayName("E43: if --recount fails too, its error is the answer, and nothing has changed")
  void fallbackFails() throws Exception {
    String second = "--- a/y.txt\n+++ b/y.txt\n@@ -1 +1 @@\n-1\n+2\n";
    PatchResult.Rejected rejected = rejected(WRONG_COUNTS.replace(" c\n", " C\n") + second);
    assertThat(calls).hasSize(2);
    assertThat(rejected.kind()).isEqualTo(Kind.DOES_NOT_APPLY);
    assertThat(rejected.explanation()).contains("patch failed").doesNotContain("corrupt");
    assertThat(PatchCase.tree(root)).containsOnlyKeys("x.txt");
    assertThat(root.resolve("x.txt")).hasContent("a\nb\nc\n");
  }

  @Test
  @DisplayName("E44: headers only succeed without git being run")
  void noOp() throws Exception {
    assertThat(apply("diff --git a/x.txt b/x.txt\n" + HEADERS)).isEqualTo(new PatchResult.NoOp());
    assertThat(apply("x.txt\n```\na\nb\nc\n```\n")).isEqualTo(new PatchResult.NoOp());
    assertThat(calls).isEmpty();
  }

  @Test
  @DisplayName("E46: at the limit is allowed, one more is not, and allowances allow")
  void limits() throws Exception {
    PatchLimits two = new PatchLimits(2, 3, 1000, false, false);
    String files = newFile("1", 1) + newFile("2", 2);
    assertThat(applier(two).apply(root, files)).isInstanceOf(PatchResult.Applied.class);
    assertKind(Kind.TOO_LARGE, applier(two).apply(root, newFile("3", 4)));
    String three = newFile("3", 1) + newFile("4", 1) + newFile("5", 1);
    assertKind(Kind.TOO_LARGE, applier(two).apply(root, three));
    assertKind(Kind.TOO_LARGE, applier(two).apply(root, newFile("6", 1) + " ".repeat(1000)));
    assertThat(PatchLimits.DEFAULT).isEqualTo(new PatchLimits(50, 1000, 1 << 20, false, false));
    assertKind(Kind.TOO_LARGE, apply(newFile("7", 1001)));
    String mode = "diff --git a/x.txt b/x.txt\nold mode 100644\nnew mode 100755\n";
    assertKind(Kind.UNSAFE, apply(mode));
    PatchLimits generous = new PatchLimits(50, 1000, 1000, true, true);
    assertThat(applier(generous).apply(root, mode)).isInstanceOf(PatchResult.Applied.class);
    assertThat(root.resolve("x.txt")).isExecutable();
    String binary = binaryPatch();
    assertKind(Kind.UNSAFE, apply(binary));
    assertThat(applier(generous).apply(root, binary)).isInstanceOf(PatchResult.Applied.class);
    assertThat(root.resolve("b.bin")).hasBinaryContent(new byte[1]);
  }

  @Test
  @DisplayName("E46: a renamed file is one file")
  void renames() throws Exception {
    Files.writeString(root.resolve("y.txt"), "y\n");
    Files.writeString(root.resolve("z.txt"), "z\n");
    String two = rename("x.txt", "x2.txt") + rename("y.txt", "y2.txt");
    PatchApplier applier = applier(new PatchLimits(2, 3, 1000, false, false));
    assertKind(Kind.TOO_LARGE, applier.apply(root, two + rename("z.txt", "z2.txt")));
    assertThat(applier.apply(root, two)).isInstanceOf(PatchResult.Applied.class);
    assertThat(PatchCase.tree(root)).containsOnlyKeys("x2.txt", "y2.txt", "z.txt");
  }

  /** Once: the length of a run takes the same time in each language, and no server is asked. */
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a%sx\n```\ncode\n```\n",
        "`a%s:`\n```\ncode\n```\n",
        "File: a%sx\n```\ncode\n```\n",
        "```java path=a%sx\ncode\n```\n",
        "%s\n```\ncode\n```\n",
        "a%s!\n<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE\n",
        "x.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\na%sx\n"
            + "<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n",
        "<file path=\"x.txt\">\n%s\nx\n</file>\n",
        "```\n%s\nx\n```\n",
        "*** Begin Patch\n*** Update File: a%sx\n@@ a%sx\n a\n%s\n+b\n*** End Patch\n",
        "```diff\ndiff --git a/a%sx b/b\n--- a/x.txt\n%s\n",
        "--- a/a%sx\n+++ b/a%sx\n@@ -1,9 +1,9 @@\n%s\n x\n",
        "--- a/x.txt\n+++ b/x.txt\n%s\n@@ -1,500000 +1,500000 @@\n%s\n x\n1%sx\u0085y\n",
      })
  @DisplayName("a run of any characters in a model's answer costs no more than its length")
  void longRuns(String answer) throws Exception {
    List<String> parts =
        List.of(
            " ",
            "\t",
            "*",
            "`",
            "\"",
            "'",
            "(",
            ")",
            "[",
            "]",
            "-",
            "_",
            "#",
            "a",
            "a/",
            "\n",
            "+\n",
            " @@",
            "(new",
            "path ",
            " 2026-01-01 1\u0085",
            "(new)",
            "_a",
            "\r\n",
            "{",
            "@@\n");
    for (String part : parts) {
      String run = part.repeat(110_000 / part.length());
      assertTimeoutPreemptively(
          Duration.ofSeconds(10),
          () -> applier(PatchLimits.DEFAULT).validate(root, answer.replace("%s", run)),
          part);
    }
  }

  @Test
  @DisplayName("a .gitmodules of one long line keeps no patch waiting")
  void longSubmodule() throws Exception {
    Files.writeString(root.resolve("x.txt"), "a\n");
    Files.writeString(
        root.resolve(".gitmodules"), "path = \"lib/\" \r\npath = a" + " ".repeat(300_000) + "b\n");
    PatchApplier applier = applier(PatchLimits.DEFAULT);
    String patch = "--- a/%1$s\n+++ b/%1$s\n@@ -1 +1 @@\n-a\n+b\n";
    assertTimeoutPreemptively(
        Duration.ofSeconds(10),
        () -> {
          assertKind(Kind.UNSAFE, applier.apply(root, patch.formatted("lib/x.txt")));
          assertThat(applier.apply(root, patch.formatted("x.txt")))
              .isInstanceOf(PatchResult.Applied.class);
        });
  }

  private static String rename(String from, String to) {
    return "diff --git a/%s b/%s\nsimilarity index 100%%\nrename from %s\nrename to %s\n"
        .formatted(from, to, from, to);
  }

  private String binaryPatch() throws Exception {
    Path directory = root.resolve("diff");
    Files.createDirectories(directory.resolve("a"));
    Files.createDirectory(directory.resolve("b"));
    Files.write(directory.resolve("b/b.bin"), new byte[1]);
    return git.run(
            GitCommand.in(directory, "diff", "--no-index", "--no-prefix", "--binary", "a", "b"))
        .stdout();
  }

  private static void assertKind(Kind kind, PatchResult result) {
    assertThat(((PatchResult.Rejected) result).kind()).isEqualTo(kind);
  }

  private static String newFile(String name, int lines) {
    String path = "n" + name + ".txt";
    return "diff --git a/"
        + path
        + " b/"
        + path
        + "\nnew file mode 100644\n--- /dev/null\n+++ b/"
        + path
        + "\n@@ -0,0 +1,"
        + lines
        + " @@\n"
        + "+x\n".repeat(lines);
  }

  @Test
  @DisplayName("E34: equal errors have equal hashes, different ones do not")
  void hashes() throws Exception {
    String first = rejected(GOOD.replace(" c\n", " C\n")).errorHash();
    assertThat(rejected(GOOD.replace(" c\n", " C\n")).errorHash()).isEqualTo(first);
    assertThat(rejected(GOOD.replace("x.txt", "z.txt")).errorHash()).isNotEqualTo(first);
    assertThat(rejected("no patch").errorHash()).isNotEqualTo(first);
  }

  @Test
  @DisplayName("E43: a git that writes a part and then fails leaves nothing behind")
  void writesPart() throws Exception {
    Git full =
        command -> {
          git.run(command);
          return new GitResult(128, "", true, "fatal: unable to write file 'd/n.txt' mode 100644");
        };
    Map<String, String> before = PatchCase.tree(root);
    PatchResult result =
        new PatchApplier(full, PatchLimits.DEFAULT)
            .apply(
                root,
                GOOD
                    + "diff --git a/d/n.txt b/d/n.txt\nnew file mode 100644\n"
                    + "--- /dev/null\n+++ b/d/n.txt\n@@ -0,0 +1 @@\n+x\n");
    assertKind(Kind.GIT_FAILED, result);
    assertThat(PatchCase.tree(root)).isEqualTo(before);
  }

  @Test
  @DisplayName("E43: a patch for whose files a full disk has no room leaves those that it deletes")
  void fullDisk() throws Exception {
    Path disk = Files.createDirectory(root.resolve("disk"));
    assumeTrue(ended("mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", disk.toString()) == 0);
    try {
      String line = "x".repeat(7000) + "\n";
      StringBuilder patch = new StringBuilder();
      for (int i = 0; i < 30; i++) {
        Files.writeString(disk.resolve(i + ".txt"), line);
        patch.append("--- a/" + i + ".txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-" + line);
      }
      patch.append("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,100 @@\n");
      patch.append(("+" + line).repeat(100));
      Map<String, String> before = PatchCase.tree(disk);

      PatchResult result = applier(PatchLimits.DEFAULT).apply(disk, patch.toString());

      assertKind(Kind.GIT_FAILED, result);
      assertThat(PatchCase.tree(disk)).isEqualTo(before);
    } finally {
      assertThat(ended("umount", disk.toString())).isZero();
    }
  }

  private static int ended(String... command) throws Exception {
    return new ProcessBuilder(command).start().waitFor();
  }

  @Test
  @DisplayName("half a character in a block is written as it is in a diff, and stops no run")
  void halfCharacter() throws Exception {
    apply(GOOD.replace("+B", "+\ud83d"));
    assertThat(root.resolve("x.txt")).hasContent("a\n?\nc\n");
    apply("File: y.txt\n```\n\ud83d\n```\n");
    assertThat(root.resolve("y.txt")).hasContent("?\n");
  }

  @Test
  @DisplayName("E43: an interrupt leaves the directory as it was")
  void interrupted() {
    Git stopped =
        command -> {
          git.run(command);
          throw new InterruptedException();
        };
    assertThatThrownBy(() -> new PatchApplier(stopped, PatchLimits.DEFAULT).apply(root, GOOD))
        .isInstanceOf(InterruptedException.class);
    assertThat(root.resolve("x.txt")).hasContent("a\nb\nc\n");
  }

  @Test
  @DisplayName("E40: another language and another configuration of the user change nothing")
  void foreignEnvironment() throws Exception {
    Path home = Files.createDirectory(root.resolve("home"));
    Files.writeString(
        home.resolve(".gitconfig"), "[apply]\n\twhitespace = error\n[core]\n\tautocrlf = true\n");
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("HOME", home.toString());
    environment.put("LANG", "de_DE.UTF-8");
    environment.put("LC_ALL", "tr_TR.UTF-8");
    environment.put("GIT_DIR", "/nonexistent");
    Git foreign = GitProgram.unconfined(environment);
    PatchApplier applier = new PatchApplier(foreign, PatchLimits.DEFAULT);
    assertThat(applier.apply(root, WRONG_COUNTS.replace("+B", "+B  ")))
        .isInstanceOf(PatchResult.Applied.class);
    assertThat(Files.readString(root.resolve("x.txt"))).isEqualTo("a\nB  \nc\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-------", "rwx------", "r--r--r--", "rw-rw-r--"})
  @DisplayName("E46: a patched file keeps its permissions, also under another name")
  void permissions(String permissions) throws Exception {
    Path file = root.resolve("x.txt");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    assertThat(apply(GOOD)).isInstanceOf(PatchResult.Applied.class);
    assertThat(permissionsOf("x.txt")).isEqualTo(permissions);
    String moved =
        rename("x.txt", "y.txt") + GOOD.replace("x.txt", "y.txt").replace("b\n+B", "B\n+b");
    assertThat(apply(moved)).isInstanceOf(PatchResult.Applied.class);
    assertThat(permissionsOf("y.txt")).isEqualTo(permissions);
  }

  private String permissionsOf(String name) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve(name)));
  }
}
