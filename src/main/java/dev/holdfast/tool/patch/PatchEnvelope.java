package dev.holdfast.tool.patch;

import dev.holdfast.failure.ShortText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the text between {@code *** Begin Patch} and {@code *** End Patch}: files to update, add
 * and delete, without line numbers. Each update's chunk has context, removed and added lines after
 * {@code @@}, which may name a line above them.
 */
final class PatchEnvelope {
  private static final String END = "*** End Patch";
  private static final String END_OF_FILE = "*** End of File";
  private static final Pattern FILE =
      Pattern.compile("^\\*\\*\\* (Update|Add|Delete) File:\\s*(\\S.*)$");

  private final List<String> lines;
  private final String indent;
  private final List<AnswerPart> parts = new ArrayList<>();
  private final BlankRun empty;
  private int at;

  /**
   * @param at the index of the first line
   * @param indent of the fence that all of it stands in
   */
  PatchEnvelope(List<String> lines, int at, String indent) {
    this.lines = lines;
    this.at = at;
    this.indent = indent;
    this.empty = new BlankRun(lines.size(), index -> line(index).isEmpty());
  }

  static boolean begins(String line, String indent) {
    return line.startsWith(indent)
        && line.substring(indent.length()).stripTrailing().equals("*** Begin Patch");
  }

  /** Returns the index of the line after the last one. */
  int end() {
    return at;
  }

  List<AnswerPart> read() throws PatchRejection {
    at++;
    while (!isAt(END)) {
      if (at >= lines.size()) {
        throw PatchRejection.malformed(
            "The answer ended before \"" + END + "\": write less, all of it.");
      }
      Matcher file = FILE.matcher(line());
      if (file.matches()) {
        at++;
        file(file.group(1), file.group(2).strip());
      } else if (line().isBlank()) {
        at++;
      } else {
        throw foreign("after \"*** Begin Patch\" come \"*** Update File: PATH\" and the like");
      }
    }
    at++;
    if (parts.isEmpty()) {
      throw PatchRejection.malformed(
          "There is nothing between \"*** Begin Patch\" and \"" + END + "\".");
    }
    return parts;
  }

  private void file(String what, String path) throws PatchRejection {
    switch (what) {
      case "Add" -> parts.add(new AnswerPart.NewFile(path, added()));
      case "Delete" -> parts.add(new AnswerPart.Deletion(path));
      default -> update(path);
    }
  }

  /**
   * Reads an added file. Empty lines around it only separate it; those within belong to it,
   * although they lack their +.
   */
  private String added() throws PatchRejection {
    StringBuilder content = new StringBuilder();
    int empty = 0;
    while (at < lines.size() && !isSection()) {
      if (line().startsWith("+")) {
        content.append("\n".repeat(content.isEmpty() ? 0 : empty));
        content.append(line().substring(1)).append('\n');
        empty = 0;
      } else if (line().isBlank()) {
        empty++;
      } else {
        throw foreign("every line of an added file begins with \"+\"");
      }
      at++;
    }
    return content.toString();
  }

  private void update(String path) throws PatchRejection {
    int before = parts.size();
    while (at < lines.size() && !isSection()) {
      if (line().startsWith("*** Move to:")) {
        throw foreign("delete the file and add the other one, all of it");
      }
      if (line().isEmpty() && endsHere()) {
        at++;
      } else {
        parts.add(chunk(path));
      }
    }
    if (parts.size() == before) {
      throw PatchRejection.malformed(
          "\"*** Update File: " + path + "\" is followed by no change: put the lines below it.");
    }
  }

  private AnswerPart.Chunk chunk(String path) throws PatchRejection {
    List<String> anchors = anchors();
    List<String> body = new ArrayList<>();
    while (at < lines.size() && !isSection() && !line().startsWith("@@") && !isAt(END_OF_FILE)) {
      String line = line();
      if (!line.isEmpty() && " +-".indexOf(line.charAt(0)) < 0) {
        throw foreign(
            "every line of a change begins with \" \", \"+\" or \"-\", a line of context with a"
                + " space");
      }
      body.add(line.isEmpty() ? " " : line);
      at++;
      if (endsHere()) {
        break;
      }
    }
    boolean last = at < lines.size() && isAt(END_OF_FILE);
    at += last ? 1 : 0;
    return new AnswerPart.Chunk(path, anchors, side(body, '+'), side(body, '-'), last);
  }

  private List<String> anchors() {
    List<String> anchors = new ArrayList<>();
    while (at < lines.size() && line().startsWith("@@")) {
      String anchor = anchor(line().substring(2));
      if (!anchor.isEmpty() && HunkHeader.parse(line()).isEmpty()) {
        anchors.add(anchor);
      }
      at++;
    }
    return anchors;
  }

  /** Returns the text after the first {@code @@}, without a second one at its end. */
  private static String anchor(String rest) {
    String text = rest.stripTrailing();
    if (text.isEmpty() || !Character.isWhitespace(text.charAt(0))) {
      return "";
    }
    boolean closed = text.endsWith(" @@") || text.endsWith("\t@@");
    return (closed ? text.substring(0, text.length() - 2) : text).strip();
  }

  /** True if only empty lines are left of a chunk: they only separate it, and are no context. */
  private boolean endsHere() {
    int next = empty.behind(at);
    boolean mark =
        next < lines.size() && (line(next).startsWith("*** ") || line(next).startsWith("@@"));
    return next == lines.size() || (next > at && mark);
  }

  private static String side(List<String> body, char without) {
    StringBuilder text = new StringBuilder();
    body.stream()
        .filter(line -> line.charAt(0) != without)
        .forEach(line -> text.append(line, 1, line.length()).append('\n'));
    return text.toString();
  }

  private boolean isSection() {
    return isAt(END) || FILE.matcher(line()).matches();
  }

  private boolean isAt(String mark) {
    return at < lines.size() && line().stripTrailing().equals(mark);
  }

  private String line() {
    return line(at);
  }

  private String line(int at) {
    String line = LineEnds.withoutReturn(lines.get(at));
    return line.startsWith(indent) ? line.substring(indent.length()) : line;
  }

  private PatchRejection foreign(String rule) {
    String shown = ShortText.of(line(), 200);
    return PatchRejection.malformed("The line \"" + shown + "\" cannot be here: " + rule + ".");
  }
}
