package dev.holdfast.tool.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitResult;
import dev.holdfast.tool.patch.AnswerPart.Deletion;
import dev.holdfast.tool.patch.AnswerPart.Edit;
import dev.holdfast.tool.patch.AnswerPart.NewFile;
import dev.holdfast.tool.patch.AnswerPart.WholeFile;
import dev.holdfast.tool.patch.PatchResult.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks as changes of files; instead of git the test looks at what git is shown. */
class BlockEditsTest {
  @TempDir private Path root;

  private BlockEdits edits() throws IOException {
    return new BlockEdits(new PatchTarget(root));
  }

  private void file(String name, String content) throws IOException {
    Files.writeString(root.resolve(name), content);
  }

  /** What x is to be; "none" where nothing is to change. */
  private static String after(BlockEdits edits) throws Exception {
    AtomicReference<String> shown = new AtomicReference<>("none");
    Git git =
        command -> {
          Path file = command.directory().resolve("b/x");
          shown.set(Files.exists(file) ? Files.readString(file) : "deleted");
          return new GitResult(1, "diff", true, "");
        };
    edits.diff(git);
    return shown.get();
  }

  private String edited(String content, String search, String replace) throws Exception {
    file("x", content);
    BlockEdits edits = edits();
    edits.take(new Edit("x", search, replace));
    return after(edits);
  }

  private static Kind refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable take) {
    PatchRejection refused = catchThrowableOfType(PatchRejection.class, take);
    assertThat(refused).isNotNull();
    return refused.rejected().kind();
  }

  @ParameterizedTest
  @CsvSource({
    "'a\nb\nc\n', 'b\n', 'B\n', 'a\nB\nc\n'",
    "'a\r\nb\r\n', 'b\n', 'B\nC\n', 'a\r\nB\r\nC\r\n'",
    "'a\nb\r\nc\r\n', 'b\n', 'B\nC\n', 'a\nB\r\nC\r\nc\r\n'",
    "'a\nb\r\nc\r\n', 'a\n', 'A\n', 'A\nb\r\nc\r\n'",
    "'a\r\nb\nc', 'b\nc\n', 'b\nC\n', 'a\r\nb\nC'",
    "'a\nb', 'b\n', 'B\n', 'a\nB'",
    "'b', 'b\n', 'B\n', 'B'",
    "'ab\nb\n', 'b\n', 'B\n', 'ab\nB\n'",
    "'a\nb\n', 'b\n', '', 'a\n'",
    "'a\nb\n', 'b\n', 'b\n', 'none'",
  })
  @DisplayName("E22: a block replaces the whole lines that it names, with its file's line ends")
  void edit(String content, String search, String replace, String result) throws Exception {
    assertThat(edited(content, search, replace)).isEqualTo(result);
  }

  @ParameterizedTest
  @CsvSource({
    "'a\nb\n', 'c\n'",
    "'b\nb\n', 'b\n'",
    "'ab\n', 'b\n'",
    "'a\nfoobar', 'bar\n'",
    "'bar\na\nbar', 'bar\n'",
    "'a\n', '\n'",
  })
  @DisplayName("E42: lines that are nowhere, in two places or only a part of one are not replaced")
  void noPlace(String content, String search) throws IOException {
    file("x", content);
    BlockEdits edits = edits();
    assertThatThrownBy(() -> edits.take(new Edit("x", search, "B\n")))
        .isInstanceOf(PatchRejection.class);
  }

  @Test
  @DisplayName("lines that are also the last one, which has no end, are told with both places")
  void ambiguous() throws IOException {
    file("x", "bar\na\nbar");
    assertThatThrownBy(() -> edits().take(new Edit("x", "bar\n", "B\n")))
        .hasMessageContaining("at lines [1, 3]");
  }

  @Test
  @DisplayName("a second block of a file changes what the first has made of it")
  void twice() throws Exception {
    file("x", "a\nb\n");
    BlockEdits edits = edits();
    edits.take(new Edit("x", "a\n", "c\n"));
    edits.take(new Edit("x", "c\n", "d\n"));
    assertThat(after(edits)).isEqualTo("d\nb\n");
    assertThat(edits.paths()).containsExactly("x");
  }

  @Test
  @DisplayName("a block without a search part makes a new file, and overwrites none")
  void newFile() throws Exception {
    BlockEdits edits = edits();
    edits.take(new Edit("x", "", "new\n"));
    assertThat(after(edits)).isEqualTo("new\n");
    assertThatThrownBy(() -> edits().take(new Edit("y", "a\n", "b\n")))
        .hasMessage("There is no file y: correct the path. Nothing was changed.");
  }

  @Test
  @DisplayName("a whole file keeps its line ends and a last line without one")
  void wholeFile() throws Exception {
    file("x", "a\r\nb");
    BlockEdits edits = edits();
    edits.take(new WholeFile("x", "a\nc\n", false));
    assertThat(after(edits)).isEqualTo("a\r\nc");
  }

  @ParameterizedTest
  @CsvSource({
    "'// ... rest of the code', true",
    "'  # … existing methods', true",
    "'<!-- ... unchanged -->', true",
    "'// ... and so on', false",
    "'rest of the code', false",
  })
  @DisplayName("a whole file that leaves out a part is refused, for that would be lost")
  void elision(String line, boolean elided) throws Exception {
    file("x", "a\n");
    BlockEdits edits = edits();
    WholeFile block = new WholeFile("x", "b\n" + line + "\n", false);
    if (elided) {
      assertThat(refused(() -> edits.take(block))).isEqualTo(Kind.MALFORMED);
    } else {
      edits.take(block);
      assertThat(after(edits)).isEqualTo("b\n" + line + "\n");
    }
    file("x", "// ... rest of the code\n");
    edits().take(block);
  }

  @Test
  @DisplayName("a file that was cut off, or is not text, is not written")
  void unwritten() throws IOException {
    assertThat(refused(() -> edits().take(new WholeFile("x", "a\n", true))))
        .isEqualTo(Kind.MALFORMED);
    Files.write(root.resolve("x"), new byte[] {'a', (byte) 0xff});
    assertThat(refused(() -> edits().take(new Edit("x", "a\n", "b\n")))).isEqualTo(Kind.UNSAFE);
    file("x", "a\0b\n");
    assertThat(refused(() -> edits().take(new WholeFile("x", "a\n", false))))
        .isEqualTo(Kind.UNSAFE);
  }

  @Test
  @DisplayName("files are added where there is none and deleted where there is one")
  void addAndDelete() throws Exception {
    file("x", "a\n");
    assertThat(refused(() -> edits().take(new NewFile("x", "b\n")))).isEqualTo(Kind.DOES_NOT_APPLY);
    assertThat(refused(() -> edits().take(new Deletion("y")))).isEqualTo(Kind.DOES_NOT_APPLY);
    BlockEdits edits = edits();
    edits.take(new Deletion("x"));
    assertThat(refused(() -> edits.take(new Deletion("x")))).isEqualTo(Kind.DOES_NOT_APPLY);
    assertThat(after(edits)).isEqualTo("deleted");
    edits.take(new NewFile("x", "b\n"));
    assertThat(after(edits)).isEqualTo("b\n");
  }

  @Test
  @DisplayName("E46: blocks may write where patches may, through no link")
  void unsafe() throws IOException {
    Files.createSymbolicLink(root.resolve("link"), Path.of("elsewhere"));
    for (String path : new String[] {"../x", ".git/config", "link/x", "link"}) {
      assertThat(refused(() -> edits().take(new WholeFile(path, "a\n", false))))
          .isEqualTo(Kind.UNSAFE);
    }
  }

  @Test
  @DisplayName("where git cannot compare, that is no fault of the answer's")
  void gitFails() throws Exception {
    BlockEdits edits = edits();
    edits.take(new NewFile("x", "a\n"));
    for (GitResult failed :
        new GitResult[] {
          new GitResult(128, "", true, "fatal: no"),
          new GitResult(GitResult.TIMED_OUT, "", true, "fatal: no")
        }) {
      assertThatThrownBy(() -> edits.diff(_ -> failed))
          .isInstanceOf(IOException.class)
          .hasMessageEndingWith("fatal: no");
    }
  }
}
