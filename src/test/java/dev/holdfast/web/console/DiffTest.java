package dev.holdfast.web.console;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.web.console.view.Diff;
import dev.holdfast.web.console.view.LineChanges;
import dev.holdfast.web.console.view.PlainHtml;
import dev.holdfast.web.console.view.ResultView;
import gg.jte.output.StringOutput;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DiffTest {
  private static final String GIT =
      """
      diff --git a/src/A.java b/src/A.java
      index 1..2 100644
      --- a/src/A.java
      +++ b/src/A.java
      @@ -1,3 +1,3 @@
       same
      --- a line that began with two dashes
      -old
      +new
      diff --git a/gone.txt b/gone.txt
      deleted file mode 100644
      --- a/gone.txt
      +++ /dev/null
      @@ -1 +0,0 @@
      -bye
      """;

  @Test
  @DisplayName("within lines that change only in part, that part is marked, whole characters only")
  void marks() {
    List<Diff.Line> lines =
        LineChanges.between("one 🐟 of two\nkeep\nquite another", "one 🐳 of two\nkeep\nnew text");
    assertThat(lines).extracting(Diff.Line::changed).containsExactly("🐟", "🐳", "", "", "");
    assertThat(lines)
        .allSatisfy(
            line ->
                assertThat(line.before() + line.changed() + line.after()).isEqualTo(line.text()));
  }

  @Test
  @DisplayName("a git diff falls into its files, each with its lines")
  void git() {
    List<Diff.File> files = Diff.of(GIT).files();
    assertThat(files).extracting(Diff.File::name).containsExactly("src/A.java", "gone.txt");
    assertThat(files.getFirst().added()).isEqualTo(1);
    assertThat(files.getFirst().removed()).isEqualTo(2);
    assertThat(files.getFirst().lines().getFirst().kind()).isEqualTo(Diff.Kind.PLACE);
    assertThat(files.get(1).removed()).isEqualTo(1);
  }

  @Test
  @DisplayName("a plain diff, an empty one and nonsense are read as far as they go")
  void others() {
    Diff plain = Diff.of("--- x.txt\t2026-01-01\n+++ x.txt\t2026-01-02\n@@ -1 +1 @@\n-a\n+b");
    assertThat(plain.files()).hasSize(1);
    assertThat(plain.files().getFirst().name()).isEqualTo("x.txt");
    assertThat(Diff.of("").files()).isEmpty();
    assertThat(Diff.of("@@ -1 @@\n+x").files()).hasSize(1);
    assertThat(Diff.of("no diff at all\nat all").files()).isEmpty();
  }

  @Test
  @DisplayName("a result shows diffs by file, long texts as texts, and the rest as JSON")
  void result() {
    ResultView view =
        ResultView.of(
            """
            {"patch": "--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n", "report": "two\\nlines", "n": 1}
            """);
    assertThat(view.files()).hasSize(1);
    assertThat(view.texts()).extracting(ResultView.Text::name).containsExactly("report");
    assertThat(view.json()).contains("\"n\" : 1");
    assertThat(ResultView.of(null).isEmpty()).isTrue();
    assertThat(ResultView.of("[1]").json()).contains("1");
    assertThat(ResultView.of("{broken").texts()).hasSize(1);
  }

  @Test
  @DisplayName(
      "what turns a text around is shown by its number, and escaped in JSON to be sent back")
  void turnedAround() {
    StringOutput shown = new StringOutput();
    PlainHtml html = new PlainHtml(shown);
    html.setContext("pre", null);
    html.writeUserContent("rm \u202e<x>\u2066");
    html.setContext("textarea", null);
    html.writeUserContent("\u202e");
    html.setContext("input", "value");
    html.writeUserContent("\u2069");
    assertThat(shown).hasToString("rm [U+202E]&lt;x&gt;[U+2066]\u202e\u2069");
    assertThat(ResultView.indented("[\"a\u202eb\"]")).isEqualTo("[ \"a\\u202Eb\" ]");
  }

  @Test
  @DisplayName("a result that is nested deep is not many times larger on the page")
  void nestedDeep() {
    String keys = IntStream.range(0, 18_000).mapToObj(i -> "\"" + i + "\":0").collect(joining(","));
    String result = "{\"a\":".repeat(490) + "{" + keys + "}" + "}".repeat(490);
    assertThat(ResultView.of(result).json()).hasSizeLessThan(2 * result.length());
  }

  @Test
  @DisplayName("two versions of a document differ in the lines that differ")
  void versions() {
    assertThat(LineChanges.between("a\nb\nc", "a\nx\nc\nd"))
        .extracting(Diff.Line::text)
        .containsExactly(" a", "-b", "+x", " c", "+d");
    assertThat(LineChanges.between("same", "same"))
        .extracting(Diff.Line::kind)
        .containsExactly(Diff.Kind.SAME);
  }
}
