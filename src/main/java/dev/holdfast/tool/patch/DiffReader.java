package dev.holdfast.tool.patch;

import dev.holdfast.failure.ShortText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Reads the unified diffs in a text, as leniently as possible without guessing. The counts of a
 * hunk's header decide what belongs to it where they are right; otherwise the lines' first
 * characters do.
 */
final class DiffReader {
  private static final Pattern NUMBERED = Pattern.compile("\\s*\\d+\\s*[:|]?\\s");

  private final List<String> lines;
  private final boolean fenced;
  private final Predicate<String> exists;
  private final List<FileDiff> files = new ArrayList<>();
  private final BlankRun blank;
  private int at;

  /**
   * @param text of a fence, or of all that follows the first header
   * @param fenced whether no prose can be in it
   * @param exists whether there is a file of that relative path
   */
  DiffReader(String text, boolean fenced, Predicate<String> exists) {
    this(List.of(text.split("\n", -1)), 0, fenced, exists);
  }

  private DiffReader(List<String> lines, int at, boolean fenced, Predicate<String> exists) {
    this.lines = lines;
    this.at = at;
    this.fenced = fenced;
    this.exists = exists;
    this.blank = new BlankRun(lines.size(), index -> lines.get(index).isBlank());
  }

  /**
   * Returns the index after the lines of a hunk; its header is at a line of a text without a fence.
   */
  static int endOfHunk(List<String> lines, int at) {
    DiffReader reader = new DiffReader(lines, at, false, path -> false);
    Optional<HunkHeader> header = HunkHeader.parse(reader.header());
    reader.at++;
    if (header.isPresent() && reader.byCounts(header.get()).isEmpty()) {
      reader.at = at + 1;
      reader.bodyByPrefix(header.get());
    }
    return reader.at;
  }

  /** True if a diff begins at a line. */
  static boolean beginsAt(List<String> lines, int at) {
    String line = lines.get(at);
    return line.startsWith("diff --git ") || isPair(lines, at) || isHunk(line);
  }

  private static boolean isPair(List<String> lines, int at) {
    return lines.get(at).startsWith("--- ")
        && at + 1 < lines.size()
        && lines.get(at + 1).startsWith("+++ ");
  }

  static boolean isHunk(String line) {
    return line.startsWith("@@ ") || line.stripTrailing().equals("@@") || line.startsWith("@@@ ");
  }

  List<FileDiff> read() throws PatchRejection {
    while (at < lines.size()) {
      String line = header();
      if (line.startsWith("diff --git ") || isPair(lines, at)) {
        files.add(file());
      } else if (isHunk(line)) {
        throw PatchRejection.malformed(
            "The hunk \""
                + line
                + "\" belongs to no file: write \"--- a/PATH\" and \"+++ b/PATH\" before it.");
      } else if (line.startsWith("diff --cc ") || line.startsWith("diff --combined ")) {
        throw PatchRejection.malformed(
            "This is the diff of a merge: write a plain unified diff of one version to the next.");
      } else {
        at++;
      }
    }
    return files;
  }

  private String header() {
    return LineEnds.withoutReturn(lines.get(at));
  }

  private FileDiff file() throws PatchRejection {
    FileHeaders headers = new FileHeaders(exists);
    boolean first = true;
    List<Hunk> hunks = new ArrayList<>();
    while (at < lines.size()) {
      String line = header();
      boolean next = line.startsWith("diff --git ") || (headers.hasNames() && isPair(lines, at));
      if (next && !first) {
        break;
      }
      first = false;
      if (isHunk(line)) {
        hunks.add(hunk(line));
      } else if (line.equals("GIT binary patch")) {
        headers.binary(binary());
      } else if (headers.take(line) || (line.isBlank() && beginsHunkLater())) {
        at++;
      } else {
        break;
      }
    }
    return headers.file(hunks);
  }

  private boolean beginsHunkLater() {
    int next = blank.behind(at);
    return next < lines.size() && isHunk(lines.get(next));
  }

  private List<String> binary() {
    List<String> content = new ArrayList<>();
    while (at < lines.size() && !header().startsWith("diff --git ")) {
      content.add(header());
      at++;
    }
    return content;
  }

  private Hunk hunk(String line) throws PatchRejection {
    Optional<HunkHeader> header = HunkHeader.parse(line);
    if (header.isEmpty()) {
      throw PatchRejection.malformed(
          "The hunk header \""
              + ShortText.of(line, 200)
              + "\" lacks its line numbers: write \"@@ -START,COUNT +START,COUNT @@\", or use a"
              + " search/replace block, which needs none.");
    }
    at++;
    int start = at;
    Optional<Hunk> exact = byCounts(header.get());
    if (exact.isPresent()) {
      return exact.get();
    }
    at = start;
    return byPrefix(header.get());
  }

  /** Returns the hunk if its counts are right, so that no line of a hunk follows it. */
  private Optional<Hunk> byCounts(HunkHeader header) {
    int old = header.oldCount();
    int changed = header.newCount();
    List<String> body = new ArrayList<>();
    while (at < lines.size() && (old > 0 || changed > 0 || isMark(lines.get(at)))) {
      String line = lines.get(at);
      char side = side(line);
      if (isNextFile()) {
        return Optional.empty();
      } else if (side == ' ') {
        old--;
        changed--;
      } else if (side == '-') {
        old--;
      } else if (side == '+') {
        changed--;
      } else if (side != '\\') {
        return Optional.empty();
      }
      body.add(side == '\\' ? line.stripTrailing() : line);
      at++;
    }
    boolean complete = old == 0 && changed == 0 && (at == lines.size() || isEnd());
    return complete ? Optional.of(new Hunk(header, body)) : Optional.empty();
  }

  /**
   * True if the next file begins here. Where a count is too large, its names would pass for lines
   * of the hunk.
   */
  private boolean isNextFile() {
    return isPair(lines, at) && at + 2 < lines.size() && isHunk(lines.get(at + 2));
  }

  private static boolean isMark(String line) {
    return line.startsWith("\\");
  }

  private static char side(String line) {
    return line.isEmpty() || line.equals("\r") ? ' ' : line.charAt(0);
  }

  /** True if no more lines of a hunk can follow. */
  private boolean isEnd() {
    String line = header();
    if (line.isEmpty()) {
      return !fenced || restIsNoHunk();
    }
    return isNextPart() || " +-\\".indexOf(line.charAt(0)) < 0 || isSignature();
  }

  private boolean isNextPart() {
    String line = header();
    return line.startsWith("diff --git ") || isHunk(line) || isPair(lines, at);
  }

  /** True for the last line of {@code git format-patch}. */
  private boolean isSignature() {
    return header().strip().equals("--")
        && at + 1 < lines.size()
        && lines.get(at + 1).matches("\\d+\\.\\d+.*");
  }

  /** True if something other than a hunk's line follows an empty line. */
  private boolean restIsNoHunk() {
    int next = blank.behind(at);
    if (next == lines.size()) {
      return true;
    }
    int here = at;
    at = next;
    boolean end = isNextPart() || " +-\\".indexOf(header().charAt(0)) < 0 || isSignature();
    at = here;
    return end;
  }

  private List<String> bodyByPrefix(HunkHeader header) {
    List<String> body = new ArrayList<>();
    int old = 0;
    int changed = 0;
    while (at < lines.size() && !isNextPart() && " +-\\".indexOf(side(lines.get(at))) >= 0) {
      boolean complete = old >= header.oldCount() && changed >= header.newCount();
      if (isSignature() || (lines.get(at).isEmpty() && isEndBehind(complete))) {
        break;
      }
      char side = side(lines.get(at));
      old += side == ' ' || side == '-' ? 1 : 0;
      changed += side == ' ' || side == '+' ? 1 : 0;
      body.add(isMark(lines.get(at)) ? lines.get(at).stripTrailing() : lines.get(at));
      at++;
    }
    return body;
  }

  private boolean isEndBehind(boolean complete) {
    return (complete && !fenced) || restIsNoHunk();
  }

  private Hunk byPrefix(HunkHeader header) throws PatchRejection {
    List<String> body = bodyByPrefix(header);
    while (!body.isEmpty()
        && body.getLast().isBlank()
        && body.getLast().length() < 2
        && !body.getLast().startsWith(" ")) {
      body.removeLast();
    }
    Hunk hunk = new Hunk(header, body);
    boolean foreign = at < lines.size() && !isNextPart() && !header().isEmpty() && !isSignature();
    if (foreign && hunk.isShort()) {
      throw PatchRejection.malformed(foreignLine(header));
    }
    return hunk.isShort()
        ? hunk
        : hunk.withHeader(header.withCounts(hunk.oldLines(), hunk.newLines()));
  }

  private String foreignLine(HunkHeader header) {
    String numbered = NUMBERED.matcher(header()).lookingAt() ? " Write no line numbers." : "";
    return ("In the hunk \"%s\" the line \"%s\" begins with none of \" \", \"+\" and \"-\": every"
            + " line of a hunk begins with one of them, also a line of context, whose first"
            + " character is a space.%s")
        .formatted(header.text(), ShortText.of(header(), 200), numbered);
  }
}
