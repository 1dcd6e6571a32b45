package dev.holdfast.tool.patch;

import dev.holdfast.tool.patch.PatchResult.Kind;

/** Puts one chunk into a text, where its lines occur exactly once, or once after its anchors. */
record ChunkPlace(AnswerPart.Chunk chunk, String text) {
  String replaced() throws PatchRejection {
    if (chunk.search().isEmpty()) {
      throw PatchRejection.malformed(
          "A change of "
              + chunk.path()
              + " has no line of context, so its place is unknown: give three lines before and"
              + " three after. Nothing was changed.");
    }
    boolean open = !text.isEmpty() && !text.endsWith("\n");
    String end = LineEnds.of(text).in("\n");
    String whole = open ? text + end : text;
    int from = behindAnchors(whole);
    String behind = whole.substring(from);
    if (!chunk.last() && LineEnds.fitsBoth(behind, chunk.search())) {
      throw ambiguous(whole.replace("\r\n", "\n"), chunk.search());
    }
    LineEnds ends = LineEnds.at(behind, chunk.search());
    String search = ends.in(chunk.search());
    String replace = ends.in(chunk.replace());
    int at = chunk.last() ? last(whole, search) : BlockEdits.place(whole, search, from);
    if (at < from) {
      throw refused(NearestMatch.notFound(chunk.path(), text, search) + "\nNothing was changed.");
    }
    if (!chunk.last() && BlockEdits.place(whole, search, at + 1) >= 0) {
      throw ambiguous(text, search);
    }
    String result = whole.substring(0, at) + replace + whole.substring(at + search.length());
    boolean touchesEnd = open && result.endsWith(end);
    return touchesEnd ? result.substring(0, result.length() - end.length()) : result;
  }

  private static int last(String whole, String search) {
    int at = whole.length() - search.length();
    boolean fits = at >= 0 && whole.endsWith(search) && (at == 0 || whole.charAt(at - 1) == '\n');
    return fits ? at : -1;
  }

  /**
   * Returns the place after the lines that the anchors name, in turn. Each line must be the only
   * such line from there on.
   */
  private int behindAnchors(String whole) throws PatchRejection {
    int from = 0;
    for (String anchor : chunk.anchors()) {
      int found = -1;
      for (int at = from; at < whole.length(); at = whole.indexOf('\n', at) + 1) {
        if (!whole.substring(at, whole.indexOf('\n', at)).strip().equals(anchor)) {
          continue;
        }
        if (found >= 0) {
          throw refused(
              "The line \"@@ " + anchor + "\" names more than one line of " + chunk.path() + ".");
        }
        found = whole.indexOf('\n', at) + 1;
      }
      if (found < 0) {
        throw refused(
            ("The line \"@@ %s\" names no line of %s: write a whole line of the file, or"
                    + " \"@@\" alone. Nothing was changed.")
                .formatted(anchor, chunk.path()));
      }
      from = found;
    }
    return from;
  }

  private PatchRejection ambiguous(String content, String search) {
    return refused(NearestMatch.ambiguous(chunk.path(), content, search) + " Nothing was changed.");
  }

  private PatchRejection refused(String why) {
    return new PatchRejection(Kind.DOES_NOT_APPLY, why, chunk.path() + "\n" + chunk.search());
  }
}
