package dev.holdfast.tool.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.process.UnprivilegedJava;
import dev.holdfast.schema.DeadlineText;
import dev.holdfast.tool.ConfigurationException;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolReply;
import dev.holdfast.tool.ToolReply.Outcome;
import dev.holdfast.tool.patch.PatchLimits;
import dev.holdfast.tool.sandbox.Sandbox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("The tools for files")
@Timeout(120)
class FileToolsTest {
  @TempDir Path root;
  private ToolBench bench;

  @BeforeEach
  void setUp() throws IOException {
    bench = ToolBench.of(root);
  }

  private void file(String path, String content) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  @Test
  @DisplayName(
      "5.4: what a person writes as arguments is checked without a workspace as a model's are")
  void checkedAhead() throws Exception {
    for (ToolSpec spec : bench.box().specs()) {
      String problem =
          WorkspaceTools.problem(
              spec.name(), JsonMapper.shared().valueToTree(Map.of("nope", true)));
      assertThat(problem).as(spec.name()).contains("nope");
      assertThat(bench.text(spec.name(), Map.of("nope", true))).contains(problem);
    }
    assertThat(WorkspaceTools.problem("mcp__a__b", JsonMapper.shared().createObjectNode()))
        .isEmpty();
  }

  @Test
  @DisplayName("C20: a missing file is the model's to mend: File not found: PATH. Check the path.")
  void missing() throws Exception {
    for (ToolReply reply :
        List.of(
            bench.call("read_file", Map.of("path", "src/absent.txt")),
            bench.call("grep", Map.of("path", "src/absent.txt", "pattern", "a")),
            bench.call("list_files", Map.of("path", "src/absent.txt")),
            bench.call(
                "edit_file", Map.of("path", "src/absent.txt", "search", "a", "replace", "b")))) {
      assertThat(reply.outcome()).isEqualTo(Outcome.MODEL_RETRY);
      assertThat(reply.content()).isEqualTo("File not found: src/absent.txt. Check the path.");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"../../out.txt", "/etc/passwd", "~/out.txt"})
  @DisplayName("C20: a person who has to allow a call sees that its path leads out")
  void previewOfWayOut(String path) throws Exception {
    for (ToolCall call :
        List.of(
            ToolBench.toCall("write_file", Map.of("path", path, "content", "a")),
            ToolBench.toCall("edit_file", Map.of("path", path, "search", "a", "replace", "b")))) {
      assertThat(bench.box().preview(call).orElseThrow().effect())
          .startsWith("It would fail as things are: ")
          .contains(path);
    }
  }

  @Test
  @Timeout(20)
  @DisplayName(
      "5.4: a person sees at once what takes the place of many lines, and what is the same")
  void previewOfManyLines() throws Exception {
    String numbers =
        IntStream.range(0, 100_000).mapToObj(Integer::toString).collect(Collectors.joining("\n"));
    file("a.txt", numbers + "\nend\n");
    ToolCall all = ToolBench.toCall("write_file", Map.of("path", "a.txt", "content", "new\nend\n"));
    assertThat(bench.box().preview(all).orElseThrow().effect())
        .startsWith("--- a/a.txt\n+++ b/a.txt\n@@ -1,100002 +1,3 @@\n-0\n-1\n")
        .endsWith(" more lines]");
    ToolCall one =
        ToolBench.toCall(
            "edit_file", Map.of("path", "a.txt", "search", "\n70000\n", "replace", "\nseventy\n"));
    assertThat(bench.box().preview(one).orElseThrow().effect())
        .contains("\n 69999\n-70000\n+seventy\n 70001\n");
    ToolCall fresh =
        ToolBench.toCall("write_file", Map.of("path", "b.txt", "content", numbers + "\n"));
    assertThat(bench.box().preview(fresh).orElseThrow().effect()).contains("\n+0\n+1\n");
  }

  @Test
  @DisplayName("read_file numbers the lines and says how to go on")
  void reads() throws Exception {
    file("a.txt", "one\r\ntwo\nthree");
    assertThat(bench.text("read_file", Map.of("path", "a.txt")))
        .isEqualTo("     1\tone\n     2\ttwo\n     3\tthree\n[end of the file]");
    assertThat(bench.text("read_file", Map.of("path", "a.txt", "offset", 2, "limit", 1)))
        .isEqualTo("     2\ttwo\n[more lines follow: go on with offset 3]");
    assertThat(bench.text("read_file", Map.of("path", "a.txt", "offset", 9)))
        .isEqualTo("[the file has only 3 lines]");
    file("empty.txt", "");
    assertThat(bench.text("read_file", Map.of("path", "empty.txt"))).contains("empty");
    file("blank.txt", "\n\n");
    assertThat(bench.text("read_file", Map.of("path", "blank.txt")))
        .isEqualTo("     1\t\n     2\t\n[end of the file]");
  }

  @Test
  @DisplayName(
      "C22: a search that repeats what is empty, and so reads nothing, is left behind and keeps no"
          + " carrier of virtual threads")
  void readsNothing() throws Exception {
    file("a.txt", "a\n");
    Runnable asked = () -> assertThat("the deadline").isEqualTo("not asked for");
    assertThat(Pattern.compile("(?:^){1000000}").matcher(new DeadlineText("a", asked)).find())
        .isTrue();
    // More of them would take a processor far beyond this test. A clock that says nothing, whatever
    // interrupts it, takes none.
    CompletableFuture<Long> clock = new CompletableFuture<>();
    AtomicReference<Thread> search = new AtomicReference<>();
    ToolBench endless =
        ToolBench.of(
            root,
            new Sandbox.None("this test needs none"),
            () -> {
              search.set(Thread.currentThread());
              return clock.join();
            });
    ToolReply reply = endless.call("grep", Map.of("pattern", "a"));
    assertThat(search.get().isAlive()).isTrue();
    assertThat(search.get().isVirtual()).isFalse();
    clock.complete(0L);
    assertThat(reply.outcome()).isEqualTo(ToolReply.Outcome.MODEL_RETRY);
    assertThat(reply.content()).contains("does not come to an end");
  }

  @Test
  @DisplayName("Where grep and read_file cut a long line in a secret, its beginning is not shown")
  void secretAtTheCut() throws Exception {
    file(
        "long.txt",
        "x".repeat(290)
            + ToolBench.SECRET
            + "\n"
            + "y".repeat(1990)
            + ToolBench.SECRET
            + "\nend\n");
    assertThat(bench.text("grep", Map.of("pattern", "xx|end")))
        .contains("x…\n", "long.txt:3: end")
        .doesNotContain("sk-v");
    assertThat(bench.text("read_file", Map.of("path", "long.txt")))
        .contains("x[redacted:KEY]\n", "y… [the line is longer]\n", "end\n")
        .doesNotContain("sk-v");
  }

  @Test
  @DisplayName("read_file shows a part of what is large, cuts long lines, and describes binary")
  void bounded() throws Exception {
    file("long.txt", "x".repeat(100_000) + "\nend\n");
    assertThat(bench.text("read_file", Map.of("path", "long.txt")))
        .hasSizeLessThan(3000)
        .contains("… [the line is longer]")
        .contains("2\tend");
    file("many.txt", "line\n".repeat(100_000));
    assertThat(bench.text("read_file", Map.of("path", "many.txt")))
        .hasSizeLessThan(32 * 1024)
        .contains("[more lines follow: go on with offset 2001]");
    file("wide.txt", "y".repeat(1500).concat("\n").repeat(1000));
    assertThat(bench.text("read_file", Map.of("path", "wide.txt"))).contains("offset 18]");
    Files.write(root.resolve("b.png"), new byte[] {(byte) 0x89, 'P', 'N', 'G', 0, 1});
    assertThat(bench.text("read_file", Map.of("path", "b.png")))
        .isEqualTo("A binary file of 6 bytes that begins with 89 50 4e 47 00 01");
  }

  @Test
  @DisplayName("edit_file replaces the one place, byte for byte around it")
  void edits() throws Exception {
    file("a.txt", "a\r\nünique $1\\\r\nc");
    assertThat(
            bench.text(
                "edit_file", Map.of("path", "a.txt", "search", "ünique", "replace", "$0\\d")))
        .isEqualTo("Edited a.txt at line 2.");
    assertThat(Files.readString(root.resolve("a.txt"))).isEqualTo("a\r\n$0\\d $1\\\r\nc");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          two       | 2~2b       | one^2^2b^three^
          two~three | 2~3        | one^2^3^
          ~two      | ~2         | one^2^three^
          two^three | 2^3~       | one^2^3^^
          two^      | ""         | one^three^
          """)
  @DisplayName("edit_file writes and finds line ends as the file has them, where all are CR LF")
  void crlf(String search, String replace, String then) throws Exception {
    file("crlf.txt", "one\r\ntwo\r\nthree\r\n");

    bench.text(
        "edit_file", Map.of("path", "crlf.txt", "search", ends(search), "replace", ends(replace)));

    assertThat(Files.readString(root.resolve("crlf.txt"))).isEqualTo(ends(then));
  }

  private static String ends(String text) {
    return text.replace("~", "\n").replace("^", "\r\n");
  }

  @Test
  @DisplayName("edit_file leaves the line ends of a text alone in a file that has both kinds")
  void mixedEnds() throws Exception {
    file("mixed.txt", "one\r\ntwo\nthree\r\n");

    bench.text("edit_file", Map.of("path", "mixed.txt", "search", "two", "replace", "2\n2b"));

    assertThat(Files.readString(root.resolve("mixed.txt"))).isEqualTo("one\r\n2\n2b\nthree\r\n");
  }

  @Test
  @DisplayName("edit_file says why it cannot: twice, nowhere with the nearest text, line ends")
  void editsNothingElse() throws Exception {
    file("a.txt", "if (a) {\n    go();\n}\nif (b) {\n    go();\n}\n");
    Map<String, String> twice = Map.of("path", "a.txt", "search", "go();", "replace", "x");
    assertThat(bench.text("edit_file", twice)).contains("more than once").contains("lines [2, 5]");
    Map<String, String> near =
        Map.of("path", "a.txt", "search", "if (b) {\n  go();", "replace", "x");
    assertThat(bench.text("edit_file", near))
        .endsWith("The nearest text is at line 4 and differs in spaces only:\nif (b) {\n    go();");
    file("mixed.txt", "a\r\nb\nc\n");
    Map<String, String> ends = Map.of("path", "mixed.txt", "search", "a\nb", "replace", "x");
    assertThat(bench.text("edit_file", ends))
        .contains("mixes \\n and \\r\\n", "within one line")
        .doesNotContain("write them so");
    Map<String, String> crLf = Map.of("path", "mixed.txt", "search", "b\r\nc", "replace", "x");
    assertThat(bench.text("edit_file", crLf)).contains("mixes \\n and \\r\\n");
    Map<String, String> same = Map.of("path", "a.txt", "search", "a", "replace", "a");
    assertThat(bench.text("edit_file", same)).contains("nothing would change");
    Map<String, String> overlapping = Map.of("path", "o.txt", "search", "aa", "replace", "b");
    file("o.txt", "aaa");
    assertThat(bench.text("edit_file", overlapping)).contains("more than once");
    Files.write(root.resolve("latin.txt"), "caf\u00e9".getBytes(StandardCharsets.ISO_8859_1));
    Map<String, String> latin = Map.of("path", "latin.txt", "search", "caf", "replace", "x");
    assertThat(bench.text("edit_file", latin)).contains("no UTF-8");
    assertThat(bench.call("edit_file", twice).outcome()).isEqualTo(Outcome.MODEL_RETRY);
  }

  @Test
  @DisplayName("list_files is sorted, narrowed by globs, bounded, and does not enter links or .git")
  void lists() throws Exception {
    file("b/c/D.java", "");
    file("b/E.java", "12");
    file("a.txt", "");
    file(".git/config", "");
    Files.createSymbolicLink(root.resolve("link"), root.resolve("b"));
    assertThat(bench.text("list_files", Map.of()))
        .isEqualTo(
            ".git/\n"
                + "a.txt (0 bytes)\n"
                + "b/\n"
                + "b/E.java (2 bytes)\n"
                + "b/c/\n"
                + "b/c/D.java (0 bytes)\n"
                + "link (link)");
    assertThat(bench.text("list_files", Map.of("glob", "*.java")))
        .isEqualTo("b/E.java (2 bytes)\nb/c/D.java (0 bytes)");
    assertThat(bench.text("list_files", Map.of("glob", "b/**/[D-F].{java,kt}")))
        .isEqualTo("b/E.java (2 bytes)\nb/c/D.java (0 bytes)");
    assertThat(bench.text("list_files", Map.of("glob", "b/*.java")))
        .isEqualTo("b/E.java (2 bytes)");
    file("b/one,two!.txt", "");
    assertThat(bench.text("list_files", Map.of("glob", "one,*!.{md,txt}")))
        .isEqualTo("b/one,two!.txt (0 bytes)");
    assertThat(bench.text("list_files", Map.of("glob", "*.zzz"))).isEqualTo("[nothing found]");
    assertThat(bench.call("list_files", Map.of("glob", "{")).outcome())
        .isEqualTo(Outcome.MODEL_RETRY);
    for (int i = 0; i < 600; i++) {
      file("many/" + i, "");
    }
    assertThat(bench.text("list_files", Map.of("path", "many"))).endsWith("narrow the search]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "**/c/*.java",
        "**/c/**",
        "**/b/c/*.java",
        "a/**/c/*.java",
        "a/**/b/**/D.java",
        "**/a/b/c/D.java",
        "**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/**/b/**/**/**/**/**/**/**/D.java"
      })
  @DisplayName("A glob's **/ takes in any number of directories, also before a directory's name")
  void anyDirectories(String glob) throws Exception {
    file("a/b/c/D.java", "two");
    file("x/D.java", "two");
    file("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/22/23/24/D.java", "two");
    assertThat(bench.text("list_files", Map.of("glob", glob))).isEqualTo("a/b/c/D.java (3 bytes)");
    assertThat(bench.text("grep", Map.of("pattern", "two", "glob", glob)))
        .isEqualTo("a/b/c/D.java:1: two");
  }

  @Test
  @DisplayName("grep finds lines with their places, and passes over binary files and links")
  void greps() throws Exception {
    file("src/a.txt", "one\nTwo two\nthree\n");
    file("src/b.md", "two\n");
    file("c.bin", "two\0");
    Files.createSymbolicLink(root.resolve("link.txt"), root.resolve("src/a.txt"));
    assertThat(bench.text("grep", Map.of("pattern", "t.o")))
        .isEqualTo("src/a.txt:2: Two two\nsrc/b.md:1: two");
    assertThat(bench.text("grep", Map.of("pattern", "^two", "ignore_case", true, "glob", "*.txt")))
        .isEqualTo("src/a.txt:2: Two two");
    assertThat(bench.text("grep", Map.of("pattern", "three", "path", "src/a.txt")))
        .isEqualTo("src/a.txt:3: three");
    assertThat(bench.text("grep", Map.of("pattern", "nowhere"))).isEqualTo("[nothing found]");
    ToolReply wrong = bench.call("grep", Map.of("pattern", "(a"));
    assertThat(wrong.outcome()).isEqualTo(Outcome.MODEL_RETRY);
    assertThat(wrong.content()).contains("no regular expression").contains("(a");
    file("many.txt", "two\n".repeat(500));
    assertThat(bench.text("grep", Map.of("pattern", "two"))).endsWith("narrow the search]");
  }

  /** Looks at a workspace whose user may not read all of it. */
  static final class Unreadable {
    private Unreadable() {}

    public static void main(String[] args) throws Exception {
      ToolBench bench = ToolBench.of(Path.of(args[0]));
      System.out.println(bench.text("list_files", Map.of()));
      System.out.println(bench.text("grep", Map.of("pattern", "two")));
      for (String path : List.of("closed", "closed/a.txt")) {
        ToolReply reply = bench.call("grep", Map.of("pattern", "two", "path", path));
        System.out.println(reply.outcome() + " " + reply.content());
      }
    }
  }

  @Test
  @DisplayName("list_files and grep pass over what the worker's user may not read, and say so")
  void unreadable() throws Exception {
    file("a.txt", "two\n");
    file("closed/a.txt", "two\n");
    file("file.txt", "two\n");
    file("listed/a.txt", "two\n");
    file("z.txt", "two\n");
    for (String[] each : new String[][] {{"closed", ""}, {"file.txt", ""}, {"listed", "r--"}}) {
      String mode = (each[1] + "---------").substring(0, 9);
      Files.setPosixFilePermissions(root.resolve(each[0]), PosixFilePermissions.fromString(mode));
    }
    assertThat(UnprivilegedJava.run(Unreadable.class, root.toString()).lines())
        .containsExactly(
            "a.txt (4 bytes)",
            "closed/",
            "file.txt (4 bytes)",
            "listed/",
            "z.txt (4 bytes)",
            "closed (not readable)",
            "listed/a.txt (not readable)",
            "a.txt:1: two",
            "z.txt:1: two",
            "closed (not readable)",
            "file.txt (not readable)",
            "listed/a.txt (not readable)",
            "MODEL_RETRY Permission denied: closed. Go on without it.",
            "MODEL_RETRY Permission denied: closed/a.txt. Go on without it.");
  }

  @Test
  @DisplayName("list_files and grep say which directory is too deep for them")
  void tooDeep() throws Exception {
    file("d/".repeat(70) + "a.txt", "needle\n");
    String deepest = "d/".repeat(64) + "d";
    String note = deepest + " (too deep to be looked into: begin there)";
    assertThat(bench.text("list_files", Map.of("glob", "*.txt"))).endsWith(note);
    assertThat(bench.text("grep", Map.of("pattern", "needle"))).endsWith(note);
    assertThat(bench.text("grep", Map.of("pattern", "needle", "path", deepest)))
        .endsWith("a.txt:1: needle");
  }

  @Test
  @DisplayName("C20: a path that is a link to itself is the model's to mend")
  void linkToItself() throws Exception {
    Files.createSymbolicLink(root.resolve("loop"), Path.of("loop"));
    for (String path : List.of("loop", "loop/a.txt")) {
      ToolReply reply = bench.call("read_file", Map.of("path", path));
      assertThat(reply.outcome()).isEqualTo(Outcome.MODEL_RETRY);
      assertThat(reply.content()).contains("is a link that leads to itself");
    }
  }

  @Test
  @DisplayName("C22: a search of more than 3 s is ended as too broad, also inside a single match")
  void grepDeadline() throws Exception {
    file("a.txt", "a".repeat(60) + "\n");
    AtomicLong now = new AtomicLong();
    ToolBench slow =
        ToolBench.of(
            root, new Sandbox.None("this test needs none"), () -> now.getAndAdd(100_000_000));
    ToolReply reply = slow.call("grep", Map.of("pattern", "(.*)(.*)(.*)(.*)(.*)(.*)b$"));
    assertThat(reply.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(reply.content()).contains("TooBroadPatternException").contains("within 3 s");
    assertThat(reply.executions()).isEqualTo(3);
  }

  @Test
  @DisplayName("C22: a search of more than 3 s is ended also within a line of a huge file")
  void grepInHugeLine() throws Exception {
    file("a.txt", "a".repeat(16 << 20));
    AtomicLong now = new AtomicLong();
    ToolBench slow =
        ToolBench.of(
            root, new Sandbox.None("this test needs none"), () -> now.getAndAdd(50_000_000));
    ToolReply reply = slow.call("grep", Map.of("pattern", "b"));
    assertThat(reply.content()).contains("TooBroadPatternException").contains("within 3 s");
  }

  @Test
  @DisplayName("C22: an expression that overflows the stack is too broad, and no end of the worker")
  void grepStack() throws Exception {
    file("a.txt", "ab".repeat(10_000) + "\n");
    assertThat(bench.text("grep", Map.of("pattern", "(a|b)*c")))
        .contains("TooBroadPatternException");
  }

  @Test
  @DisplayName(
      "C38: each tool says whether it may run twice, and only those that look run together")
  void effects() throws Exception {
    WorkspaceTools tools =
        new WorkspaceTools(
            Workspace.of(root),
            new Sandbox.None("this test needs none"),
            Map.of(),
            PatchLimits.DEFAULT,
            System::nanoTime);
    assertThat(tools.all())
        .filteredOn(Tool::isIdempotent)
        .extracting(tool -> tool.spec().name())
        .containsExactly("read_file", "write_file", "list_files", "grep");
    assertThat(tools.all())
        .filteredOn(tool -> !tool.runsAlone())
        .extracting(tool -> tool.spec().name())
        .containsExactly("read_file", "list_files", "grep");
    assertThat(tools.named(List.of("grep"))).hasSize(1);
    assertThatThrownBy(() -> tools.named(List.of("grepp")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("did you mean \"grep\"?");
  }
}
