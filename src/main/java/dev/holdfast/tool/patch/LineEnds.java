package dev.holdfast.tool.patch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The line ends of files, and of patches for them. Models show and write LF whatever the file has,
 * and some transports turn everything into CRLF; git compares exactly.
 */
public enum LineEnds {
  LF,
  CRLF,
  /** Both kinds, or no line end at all: nothing is adapted. */
  MIXED;

  public static LineEnds of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns the line ends at the place of a text with LF in a file, because a file may have both.
   */
  static LineEnds at(String text, String search) {
    LineEnds ends = of(text);
    boolean crlf =
        ends == MIXED
            && BlockEdits.place(text, search, 0) < 0
            && BlockEdits.place(text, CRLF.in(search), 0) >= 0;
    return crlf ? CRLF : ends;
  }

  /**
   * True if a file has a text both with LF and with CRLF, so that nobody knows which one is meant.
   */
  static boolean fitsBoth(String text, String search) {
    return of(text) == MIXED
        && BlockEdits.place(text, search, 0) >= 0
        && BlockEdits.place(text, CRLF.in(search), 0) >= 0;
  }

  static LineEnds of(byte[] content) {
    int lf = 0;
    int crlf = 0;
    for (int i = 0; i < content.length; i++) {
      if (content[i] == '\n') {
        if (i > 0 && content[i - 1] == '\r') {
          crlf++;
        } else {
          lf++;
        }
      }
    }
    if (crlf > 0 && lf == 0) {
      return CRLF;
    }
    return lf > 0 && crlf == 0 ? LF : MIXED;
  }

  /** Returns a line without the part that CRLF leaves of its end. */
  static String withoutReturn(String line) {
    return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
  }

  /** Returns a text with LF with these line ends. */
  public String in(String text) {
    return this == CRLF ? text.replace("\r\n", "\n").replace("\n", "\r\n") : text;
  }

  /** Returns the hunks with the line ends of a file; unchanged where they have both kinds. */
  List<Hunk> adapt(List<Hunk> hunks) {
    boolean all = true;
    boolean none = true;
    for (Hunk hunk : hunks) {
      for (int i = 0; i < hunk.lines().size(); i++) {
        if (!isMark(hunk, i) && !isMark(hunk, i + 1)) {
          boolean has = hunk.lines().get(i).endsWith("\r");
          all &= has;
          none &= !has;
        }
      }
    }
    boolean add = this == CRLF && none;
    boolean remove = this == LF && all;
    return add || remove ? hunks.stream().map(hunk -> adapted(hunk, add)).toList() : hunks;
  }

  private static Hunk adapted(Hunk hunk, boolean add) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < hunk.lines().size(); i++) {
      String line = hunk.lines().get(i);
      if (add && !isMark(hunk, i) && !isMark(hunk, i + 1)) {
        lines.add((line.isEmpty() ? " " : line) + "\r");
      } else {
        lines.add(add ? line : withoutReturn(line));
      }
    }
    return hunk.withLines(lines);
  }

  /** True if the line there says that the line before it has no end. */
  private static boolean isMark(Hunk hunk, int at) {
    return at < hunk.lines().size() && hunk.lines().get(at).startsWith("\\");
  }
}
