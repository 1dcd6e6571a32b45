package dev.holdfast.tool.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hunks, what they say of themselves, and what is done to make them fit. */
class HunksTest {
  private static Hunk hunk(String header, String... lines) {
    return new Hunk(HunkHeader.parse(header).orElseThrow(), List.of(lines));
  }

  private static byte[] file(String lines) {
    return lines.replace(' ', '\n').getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource({
    "'@@ -1,3 +2,4 @@', '@@ -1,3 +2,4 @@'",
    "'@@ -7 +7 @@ class X', '@@ -7,1 +7,1 @@ class X'",
    "'@@ -0,0 +1,5 @@', '@@ -0,0 +1,5 @@'",
    "'@@ -1,3 +2 @@@@', '@@ -1,3 +2,1 @@@@'",
  })
  @DisplayName("a hunk's header is read with its counts, which are one where they are left out")
  void headers(String line, String text) {
    assertThat(HunkHeader.parse(line).orElseThrow().text()).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\rb", "a\u0085b", "a\u2028b", "a\u2029b"})
  @DisplayName("a hunk's section may have letters that end a line to others than git")
  void lineEndsInSection(String section) {
    assertThat(HunkHeader.parse("@@ -1,3 +2,4 @@ " + section)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@@ @@",
        "@@",
        "@@ -1,3 @@",
        "@@ -a +1 @@",
        "@@ -1234567890 +1 @@",
        " @@ -1 +1 @@"
      })
  @DisplayName("what is no header of a hunk is not taken for one, huge numbers neither")
  void noHeaders(String line) {
    assertThat(HunkHeader.parse(line)).isEmpty();
  }

  @Test
  @DisplayName("lines are counted per side, marks of a missing line end for neither")
  void counts() {
    Hunk hunk = hunk("@@ -1,3 +1,4 @@", " a", "-b", "+B", "+C", "", "\\ No newline");
    assertThat(hunk.added()).isEqualTo(2);
    assertThat(hunk.removed()).isEqualTo(1);
    assertThat(hunk.oldLines()).isEqualTo(3);
    assertThat(hunk.newLines()).isEqualTo(4);
    assertThat(hunk.isShort()).isFalse();
    assertThat(hunk.isNoOp()).isFalse();
    assertThat(hunk.before()).containsExactly("a", "b", "", "\\");
  }

  @ParameterizedTest
  @CsvSource({"4, 4, true", "3, 5, true", "3, 4, false", "2, 2, false"})
  @DisplayName("a hunk is short where either side has fewer lines than its header says")
  void shortHunk(int old, int changed, boolean isShort) {
    Hunk hunk = hunk("@@ -1,9 +1,9 @@", " a", "-b", "+B", "+C", " d");
    assertThat(hunk.withHeader(hunk.header().withCounts(old, changed)).isShort())
        .isEqualTo(isShort);
  }

  @Test
  @DisplayName("a hunk that writes what is there changes nothing, but a missing line end does")
  void noOp() {
    assertThat(hunk("@@ -1 +1 @@", "-a", "+a").isNoOp()).isTrue();
    assertThat(hunk("@@ -1 +1 @@", " a").isNoOp()).isTrue();
    assertThat(hunk("@@ -1 +1 @@", "-a", "\\ No newline", "+a").isNoOp()).isFalse();
    assertThat(hunk("@@ -1 +1,2 @@", " a", "+b", "\\ No newline").before()).containsExactly("a");
  }

  @ParameterizedTest
  @CsvSource({
    "'a\nb\n', LF",
    "'a\nb', LF",
    "'a\r\nb\r\n', CRLF",
    "'a\r\nb\n', MIXED",
    "'a', MIXED",
    "'', MIXED",
    "'a\rb', MIXED",
    "'\n', LF",
  })
  @DisplayName("a file has one kind of line end, or none that can be told")
  void lineEnds(String content, LineEnds ends) {
    assertThat(LineEnds.of(content.getBytes(StandardCharsets.UTF_8))).isEqualTo(ends);
  }

  @Test
  @DisplayName("a text takes on the line ends of its file, once")
  void inText() {
    assertThat(LineEnds.CRLF.in("a\nb\r\nc")).isEqualTo("a\r\nb\r\nc");
    assertThat(LineEnds.LF.in("a\r\n")).isEqualTo("a\r\n");
    assertThat(LineEnds.MIXED.in("a\n")).isEqualTo("a\n");
  }

  @Test
  @DisplayName("E45: hunks take on the line ends of their file where they have one kind themselves")
  void adapted() {
    Hunk lf = hunk("@@ -1 +1 @@", " a", "", "-b", "+B", "\\ No newline");
    Hunk crlf = hunk("@@ -1 +1 @@", " a\r", "-b\r", "+B\r");
    Hunk mixed = hunk("@@ -1 +1 @@", " a\r", "-b", "+B");
    assertThat(LineEnds.CRLF.adapt(List.of(lf)).getFirst().lines())
        .containsExactly(" a\r", " \r", "-b\r", "+B", "\\ No newline");
    assertThat(LineEnds.LF.adapt(List.of(crlf)).getFirst().lines())
        .containsExactly(" a", "-b", "+B");
    Hunk endless = hunk("@@ -1 +1 @@", "-b\r", "+B", "\\ No newline");
    assertThat(LineEnds.LF.adapt(List.of(endless)).getFirst().lines())
        .containsExactly("-b", "+B", "\\ No newline");
    assertThat(LineEnds.CRLF.adapt(List.of(crlf))).containsExactly(crlf);
    assertThat(LineEnds.LF.adapt(List.of(lf))).containsExactly(lf);
    assertThat(LineEnds.CRLF.adapt(List.of(mixed))).containsExactly(mixed);
    assertThat(LineEnds.LF.adapt(List.of(crlf, lf))).containsExactly(crlf, lf);
    assertThat(LineEnds.MIXED.adapt(List.of(crlf))).containsExactly(crlf);
  }

  private static String completed(String file, Hunk... hunks) throws PatchRejection {
    StringBuilder text = new StringBuilder();
    for (Hunk hunk : new MissingContext("x", file(file)).added(Arrays.asList(hunks))) {
      text.append(hunk.header().text()).append(hunk.lines());
    }
    return text.toString();
  }

  @Test
  @DisplayName("a hunk that begins or ends with a change gets three lines of its file around it")
  void missingContext() throws PatchRejection {
    assertThat(completed("1 2 3 4 5 6 7 8 9 ", hunk("@@ -5,1 +5,1 @@", "-5", "+five")))
        .isEqualTo("@@ -2,7 +2,7 @@[ 2,  3,  4, -5, +five,  6,  7,  8]");
    assertThat(completed("1 2 3", hunk("@@ -1,1 +1,1 @@", "-2", "+two")))
        .as("as many as there are")
        .isEqualTo("@@ -1,3 +1,3 @@[ 1, -2, +two,  3]");
    assertThat(completed("1 2 3 4 5 ", hunk("@@ -2,2 +2,2 @@", " 2", "-3", "+three")))
        .isEqualTo("@@ -2,4 +2,4 @@[ 2, -3, +three,  4,  5]");
  }

  @Test
  @DisplayName("a hunk whose lines are nowhere, in two places, or have context stays as it is")
  void noDoubt() throws PatchRejection {
    for (Hunk hunk :
        List.of(
            hunk("@@ -1,1 +1,1 @@", "-x", "+X"),
            hunk("@@ -1,1 +1,1 @@", "-2", "+two"),
            hunk("@@ -9,3 +9,3 @@", " 1", "-2", "+two", " 3"),
            hunk("@@ -1,1 +1,1 @@", "-3", "+three", "\\ No newline"))) {
      assertThat(completed("1 2 3 2 ", hunk)).isEqualTo(hunk.header().text() + hunk.lines());
    }
  }

  @Test
  @DisplayName("no line is taken as context for two hunks")
  void neighbours() throws PatchRejection {
    assertThat(
            completed(
                "1 2 3 4 5 6 ",
                hunk("@@ -2,1 +2,1 @@", "-2", "+two"),
                hunk("@@ -4,1 +4,1 @@", "-4", "+four")))
        .isEqualTo("@@ -1,3 +1,3 @@[ 1, -2, +two,  3]@@ -4,3 +4,3 @@[-4, +four,  5,  6]");
  }

  @Test
  @DisplayName("an insertion without context is refused but at the end of its file")
  void insertion() throws PatchRejection {
    Hunk end = hunk("@@ -3,0 +4,1 @@", "+new");
    assertThat(completed("1 2 3 ", end)).isEqualTo("@@ -3,0 +4,1 @@[+new]");
    assertThatThrownBy(() -> completed("1 2 3 4 ", end))
        .isInstanceOf(PatchRejection.class)
        .hasMessageContaining("no line of context");
  }

  private static String placed(String text, boolean last, String anchors, String search)
      throws PatchRejection {
    List<String> above = anchors.isEmpty() ? List.of() : List.of(anchors.split(","));
    AnswerPart.Chunk chunk =
        new AnswerPart.Chunk("x", above, search.replace(' ', '\n'), "new\n", last);
    String whole = text.replace(' ', '\n');
    return new ChunkPlace(chunk, whole).replaced().replace('\n', ' ');
  }

  @ParameterizedTest
  @CsvSource({
    "'a b c ', false, '', 'b ', 'a new c '",
    "'a b c', false, '', 'c ', 'a b new'",
    "'a b c', false, '', 'b ', 'a new c'",
    "'f b g b ', false, 'g', 'b ', 'f b g new '",
    "'f b f g b ', false, 'f', 'b ', ''",
    "'f b g h b ', false, 'g,h', 'b ', 'f b g h new '",
    "'h f h b ', false, 'f,h', 'b ', 'h f h new '",
    "'b a b ', true, '', 'b ', 'b a new '",
    "'b g ', true, 'g', 'g ', ''",
    "'b ab ', true, '', 'b ', ''",
    "'ab b ', false, '', 'b ', 'ab new '",
    "'b a b ', false, '', 'b ', ''",
    "'a ', false, 'z', 'a ', ''",
    "'a ', false, '', '', ''",
  })
  @DisplayName("a chunk is put where its lines are once, behind its anchors, as whole lines")
  void chunks(String text, boolean last, String anchors, String search, String result)
      throws PatchRejection {
    if (result.isEmpty()) {
      assertThatThrownBy(() -> placed(text, last, anchors, search))
          .isInstanceOf(PatchRejection.class);
    } else {
      assertThat(placed(text, last, anchors, search)).isEqualTo(result);
    }
  }

  @Test
  @DisplayName("a text that is not found is answered with the nearest, one found twice with places")
  void nearest() {
    assertThat(NearestMatch.notFound("x", "a\n  bcd\nbce\n", "bcd\nbcf\n"))
        .isEqualTo("The search text is not in x. The nearest text is at line 2:\n  bcd\nbce");
    assertThat(NearestMatch.notFound("x", "a\n", "zzz\n")).contains("Nothing in the file is like");
    assertThat(NearestMatch.notFound("x", "a\r\nb\nc\n", "a\nb\n")).contains("\\r\\n");
    assertThat(NearestMatch.notFound("x", "a\r\nbc\n", "c")).doesNotContain("\\r\\n");
    assertThat(NearestMatch.ambiguous("x", "a\nb\na\n", "a\n")).contains("at lines [1, 3]");
    assertThat(NearestMatch.ambiguous("x", "a\n".repeat(1_000), "a\n")).contains(", 40]");
    assertThat(NearestMatch.place(List.of("", "x"), List.of("", ""))).isEqualTo(-1);
  }

  @Test
  @DisplayName("E42: only the reason that a text is not found for is said: line ends, or spaces")
  void reasons() {
    String lf = "def f():\n    return x\n";
    assertThat(NearestMatch.notFound("x", lf, "return x\n"))
        .isEqualTo(
            "The search text is not in x. The nearest text is at line 2 and differs in spaces"
                + " only:\n    return x");
    String mixed = "a\ndef f():\r\n    return x\r\n";
    assertThat(NearestMatch.notFound("x", mixed, "return x\n"))
        .as("the line ends alone would not help")
        .contains("line 3 and differs in spaces only")
        .doesNotContain("\\r");
    assertThat(NearestMatch.notFound("x", mixed, "def f():\n    return x\n"))
        .contains("mixes \\n and \\r\\n");
    assertThat(NearestMatch.notFound("x", "a\nb", "b\nc\n"))
        .as("text that goes beyond the end")
        .endsWith("at line 2:\nb");
  }
}
