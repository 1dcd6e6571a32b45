package dev.holdfast.tool.patch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Adds the context that a hunk lacks before its first or after its last change. Git takes a hunk
 * that ends with a change for one at the end of the file: it refuses it elsewhere, and silently
 * puts an insertion without any context at the end of the file. Where the hunk's lines are in the
 * file exactly once, their place is certain.
 */
final class MissingContext {
  private static final int LINES = 3;

  /** The replacement of a byte that is not UTF-8; git would look for this very character. */
  private static final char UNREADABLE = '\uFFFD';

  private final String path;
  private final List<String> file;
  private final boolean isUtf8;

  /**
   * @param content of the file as it is
   */
  MissingContext(String path, byte[] content) {
    this.path = path;
    String text = new String(content, StandardCharsets.UTF_8);
    List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
    if (text.endsWith("\n") || text.isEmpty()) {
      lines.removeLast();
    }
    this.file = lines;
    this.isUtf8 = Arrays.equals(text.getBytes(StandardCharsets.UTF_8), content);
  }

  List<Hunk> added(List<Hunk> hunks) throws PatchRejection {
    List<Hunk> complete = new ArrayList<>();
    for (int i = 0; i < hunks.size(); i++) {
      int limit = i + 1 < hunks.size() ? hunks.get(i + 1).header().oldStart() - 1 : file.size();
      complete.add(added(hunks.get(i), i == 0, limit));
    }
    return complete;
  }

  /**
   * @param first whether no hunk is before it, whose lines it could take
   * @param limit the index of the first line that is not to be taken
   */
  private Hunk added(Hunk hunk, boolean first, int limit) throws PatchRejection {
    if (hunk.lines().isEmpty() || hunk.lines().stream().anyMatch(line -> line.startsWith("\\"))) {
      return hunk;
    }
    List<String> before = hunk.before();
    if (before.isEmpty()) {
      return insertion(hunk);
    }
    boolean leads = isContext(hunk.lines().getFirst());
    boolean trails = isContext(hunk.lines().getLast());
    int place = onlyPlace(before);
    if ((leads && trails) || place < 0) {
      return hunk;
    }
    List<String> lines = new ArrayList<>();
    int from = leads || !first ? place : Math.max(0, place - LINES);
    file.subList(from, place).forEach(line -> lines.add(" " + line));
    lines.addAll(hunk.lines());
    int end = place + before.size();
    int to = trails ? end : Math.min(Math.max(end, limit), Math.min(file.size(), end + LINES));
    file.subList(end, to).forEach(line -> lines.add(" " + line));
    if (!isUtf8 && lines.stream().anyMatch(line -> line.indexOf(UNREADABLE) >= 0)) {
      throw PatchRejection.unsafe(
          path
              + " is no UTF-8 text: a diff may change it only where three lines before and after"
              + " have ASCII letters only. Go on without it.");
    }
    int more = lines.size() - hunk.lines().size();
    HunkHeader header = hunk.header();
    return new Hunk(
        new HunkHeader(
            from + 1,
            header.oldCount() + more,
            from + 1,
            header.newCount() + more,
            header.section()),
        lines);
  }

  private Hunk insertion(Hunk hunk) throws PatchRejection {
    if (hunk.header().oldStart() < file.size()) {
      throw PatchRejection.malformed(
          ("The hunk \"%s\" for %s has no line of context, so its place is unknown: give"
                  + " three lines before and three after. Nothing was changed.")
              .formatted(hunk.header().text(), path));
    }
    return hunk;
  }

  private static boolean isContext(String line) {
    return line.isEmpty() || line.charAt(0) == ' ';
  }

  /** Returns the place where the lines begin; -1 if that is nowhere or in several places. */
  private int onlyPlace(List<String> wanted) {
    int found = -1;
    for (int at = 0; at + wanted.size() <= file.size(); at++) {
      if (file.subList(at, at + wanted.size()).equals(wanted)) {
        if (found >= 0) {
          return -1;
        }
        found = at;
      }
    }
    return found;
  }
}
