package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TextTableTest {
  private static List<String> printed(TextTable table, Screen screen) {
    StringWriter out = new StringWriter();
    table.print(
        new Terminal(
            new PrintWriter(out),
            new PrintWriter(new StringWriter()),
            InputStream.nullInputStream(),
            InstantSource.system(),
            Keyboard.Opener.NONE,
            screen));
    return out.toString().lines().toList();
  }

  @Test
  @DisplayName("22.10: columns are aligned behind wide letters, emojis and combining marks")
  void wide() {
    TextTable table = new TextTable("A", "B");
    table.row("文字", "1");
    table.row("🎉x", "2");
    table.row("e\u0301te\u0301", "3");
    table.row("👩\u200d🔧", "4");
    table.row("한글", "5");
    table.row("plain", "6");
    assertThat(printed(table, Screen.NONE))
        .containsExactly(
            "A      B",
            "文字   1",
            "🎉x    2",
            "e\u0301te\u0301    3",
            "👩\u200d🔧     4",
            "한글   5",
            "plain  6");
  }

  @Test
  @DisplayName("22.10: on a terminal the last column ends with the line, also within wide letters")
  void width() {
    TextTable table = new TextTable("ID", "WHY");
    table.row("17", "x".repeat(200));
    table.row("18", "文".repeat(100));
    Screen screen = new Screen(true, 24, false);
    assertThat(printed(table, screen))
        .containsExactly("ID  WHY", "17  " + "x".repeat(19) + "…", "18  " + "文".repeat(9) + "…");
    assertThat(printed(table, Screen.NONE).get(1)).isEqualTo("17  " + "x".repeat(159) + "…");
    assertThat(printed(table, new Screen(true, 5, false)).get(1)).isEqualTo("17  xxxxxxxxx…");
  }

  @Test
  @DisplayName(
      "22.10: a narrow terminal does without some columns, then words are cut, but no name")
  void narrow() {
    TextTable table = new TextTable("ID", "QUEUE", "KIND", "TITLE", "WHY");
    table.spare(2, 1);
    table.row("17", "mail-of-the-day", "command", "a title of many words, which is long", "");
    table.row("18", "mail", "agent", "short", "it failed and failed again");
    assertThat(printed(table, new Screen(true, 70, false)))
        .containsExactly(
            "ID  QUEUE            KIND     TITLE                WHY",
            "17  mail-of-the-day  command  a title of many wo…",
            "18  mail             agent    short                it failed and fail…");
    assertThat(printed(table, new Screen(true, 45, false)))
        .containsExactly(
            "ID  QUEUE            TITLE        WHY",
            "17  mail-of-the-day  a title of…",
            "18  mail             short        it failed …");
    assertThat(printed(table, new Screen(true, 30, false)))
        .containsExactly(
            "ID  TITLE         WHY", "17  a title of …", "18  short         it failed a…");
    assertThat(printed(table, new Screen(true, 5, false)).get(2))
        .isEqualTo("18  short       it failed…");
    assertThat(printed(table, Screen.NONE).get(0))
        .isEqualTo("ID  QUEUE            KIND     TITLE                                 WHY");
  }

  @Test
  @DisplayName("22.10: a coloured column is as wide as a plain one; its heading has no colour")
  void painted() {
    TextTable table = new TextTable("STATE", "N");
    table.row("done", 1);
    table.paint(0, text -> "<" + text + ">");
    assertThat(printed(table, Screen.NONE)).containsExactly("STATE  N", "<done>   1");
  }

  @Test
  @DisplayName("22.10: NO_COLOR with any text and a dumb terminal take no colours")
  void noColour() {
    assertThat(Screen.takesColour(Map.of("TERM", "xterm"))).isTrue();
    assertThat(Screen.takesColour(Map.of("NO_COLOR", ""))).isTrue();
    assertThat(Screen.takesColour(Map.of("NO_COLOR", "0"))).isFalse();
    assertThat(Screen.takesColour(Map.of("TERM", "dumb"))).isFalse();
    assertThat(SttyKeyboard.columns(Map.of("COLUMNS", "132"))).isEqualTo(132);
    assertThat(SttyKeyboard.columns(Map.of("COLUMNS", "wide"))).isPositive();
  }
}
