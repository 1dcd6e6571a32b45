package dev.holdfast.tool.patch;

import dev.holdfast.failure.ShortText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the diffs and blocks in what a model answers, among prose and code fences. A fence without
 * a path and without a diff in it is an example and left alone.
 */
final class AnswerReader {
  private static final Pattern SEARCH = Pattern.compile("^<{5,9} ?(?:SEARCH|ORIGINAL)\\s*$");
  private static final Pattern DIVIDER = Pattern.compile("^={5,9}\\s*$");
  private static final Pattern REPLACE = Pattern.compile("^>{5,9} ?(?:REPLACE|UPDATED)\\s*$");
  private static final Pattern TAG =
      Pattern.compile("^\\s*<file\\s+(?:path|name)\\s*=\\s*[\"']([^\"']+)[\"']\\s*>\\s*$");
  private static final Pattern TAG_END = Pattern.compile("^\\s*</file>\\s*$");

  private final List<String> lines;
  private final MentionedPath labels;
  private final List<AnswerPart> parts = new ArrayList<>();
  private int at;

  /** The line above a fence that was left alone, although the fence may be a new file. */
  private Optional<String> unclear = Optional.empty();

  /**
   * The path of the last search/replace block; {@code lastEnd} is the index of the line after it.
   */
  private Optional<String> lastPath = Optional.empty();

  private int lastEnd;

  /**
   * @param isFile whether there is a file of that relative path
   */
  AnswerReader(String text, Predicate<String> isFile) {
    this.lines = List.of(text.split("\n", -1));
    this.labels = new MentionedPath(isFile);
  }

  List<AnswerPart> read() throws PatchRejection {
    while (at < lines.size()) {
      Matcher fence = OpenFence.LINE.matcher(line());
      Matcher tag = TAG.matcher(line());
      if (fence.matches()) {
        fence(fence.group(1), fence.group(2), fence.group(3));
      } else if (tag.matches()) {
        tag(tag.group(1));
      } else if (isSearch()) {
        edit(labelAbove(), lastPath, lastEnd);
      } else if (PatchEnvelope.begins(line(), "")) {
        envelope("");
      } else if (DiffReader.beginsAt(lines, at)) {
        bareDiff();
      } else {
        at++;
      }
    }
    if (!parts.isEmpty() && unclear.isPresent()) {
      throw PatchRejection.malformed(
          ("It is not clear whether the fence below \"%s\" is a new file. If it is, write \"File:"
                  + " %1$s\" above it; if it is an example, leave it out. Nothing was changed.")
              .formatted(unclear.get()));
    }
    return parts;
  }

  private String line() {
    return LineEnds.withoutReturn(lines.get(at));
  }

  private boolean isSearch() {
    return SEARCH.matcher(line().strip()).matches();
  }

  /**
   * Reads a diff without a fence. It ends where a fence or a block begins, but not within a hunk.
   */
  private void bareDiff() {
    int start = at;
    while (at < lines.size()
        && !OpenFence.LINE.matcher(line()).matches()
        && !isSearch()
        && !PatchEnvelope.begins(line(), "")) {
      at = DiffReader.isHunk(line()) ? DiffReader.endOfHunk(lines, at) : at + 1;
    }
    String text = String.join("\n", lines.subList(start, at));
    parts.add(new AnswerPart.Diff(text, false, at == lines.size() && endsInChange()));
  }

  /**
   * True if the answer ends in a changed line. A complete hunk mostly ends with context, and its
   * last line with a line feed.
   */
  private boolean endsInChange() {
    return lines.getLast().startsWith("+") || lines.getLast().startsWith("-");
  }

  private void fence(String indent, String mark, String info) throws PatchRejection {
    Optional<String> perhaps = lineAbove().flatMap(labels::perhaps);
    Optional<String> label = labelAbove().or(() -> labels.inFence(info));
    OpenFence fence = new OpenFence(indent, mark, label);
    boolean isDiff = isDiff(info);
    int before = parts.size();
    boolean closed = false;
    boolean first = true;
    List<String> content = new ArrayList<>();
    int start = ++at;
    if (label.isEmpty() && at < lines.size() && isSearch()) {
      label = newFile(at - 1);
    }
    while (at < lines.size() && !closed) {
      boolean context = isDiff && isIndented(fence.inside(line()));
      if (isSearch() && !context) {
        int since = label.isPresent() ? Math.max(start, lastEnd) : lastEnd;
        edit(inner(content), label.or(() -> lastPath), since);
        continue;
      }
      if (PatchEnvelope.begins(line(), indent) && (first || label.isEmpty())) {
        envelope(indent);
        continue;
      }
      closed = !context && fence.isClosedBy(line());
      if (!closed) {
        content.add(fence.inside(lines.get(at)));
        first = first && content.getLast().isBlank();
        isDiff = isDiff || beginsDiff(content, label.isPresent());
      }
      at++;
    }
    if (parts.size() == before) {
      classify(content, isDiff, label, !closed);
      unclear = parts.size() == before ? unclear.or(() -> perhaps) : unclear;
    }
  }

  private static boolean isIndented(String line) {
    return line.startsWith(" ") || line.startsWith("\t");
  }

  private static boolean isDiff(String info) {
    String language = info.strip().split("[\\s:{]", -1)[0];
    return language.equalsIgnoreCase("diff") || language.equalsIgnoreCase("patch");
  }

  /**
   * True if a diff begins with the last line or the one above; for a named file, only with its
   * first.
   */
  private static boolean beginsDiff(List<String> content, boolean labelled) {
    int last = content.size() - 1;
    boolean begins = false;
    for (int i = Math.max(0, last - 1); i <= (labelled ? 0 : last); i++) {
      begins |= DiffReader.beginsAt(content, i);
    }
    return begins;
  }

  private void envelope(String indent) throws PatchRejection {
    PatchEnvelope envelope = new PatchEnvelope(lines, at, indent);
    parts.addAll(envelope.read());
    at = envelope.end();
  }

  /** Returns the path in the last line above a search block within a fence. */
  private Optional<String> inner(List<String> content) {
    for (String line : content.reversed()) {
      if (!line.isBlank()) {
        return labels.above(line);
      }
    }
    return Optional.empty();
  }

  private void classify(
      List<String> content, boolean isDiff, Optional<String> label, boolean cutOff) {
    String text = String.join("\n", content);
    if (isDiff) {
      parts.add(new AnswerPart.Diff(text, true, cutOff));
    } else if (label.isPresent()) {
      String whole = content.isEmpty() ? "" : text.replace("\r\n", "\n") + "\n";
      parts.add(new AnswerPart.WholeFile(label.get(), whole, cutOff));
    }
  }

  private void tag(String path) {
    at++;
    List<String> content = new ArrayList<>();
    while (at < lines.size() && !TAG_END.matcher(line()).matches()) {
      content.add(line());
      at++;
    }
    boolean cutOff = at == lines.size();
    at++;
    content = OpenFence.isMarkdown(path) ? content : withoutFence(content);
    String whole = content.isEmpty() ? "" : String.join("\n", content) + "\n";
    parts.add(new AnswerPart.WholeFile(path, whole, cutOff));
  }

  /** Removes a fence around all of the content, which belongs to the answer and not to the file. */
  private static List<String> withoutFence(List<String> content) {
    int from = 0;
    int to = content.size();
    while (from < to && content.get(from).isBlank()) {
      from++;
    }
    while (from < to && content.get(to - 1).isBlank()) {
      to--;
    }
    if (to - from < 2) {
      return content;
    }
    Matcher first = OpenFence.LINE.matcher(content.get(from));
    boolean around = first.matches() && first.group(2).equals(content.get(to - 1).strip());
    return around ? content.subList(from + 1, to - 1) : content;
  }

  private Optional<String> labelAbove() {
    return lineAbove().flatMap(labels::above);
  }

  private Optional<String> lineAbove() {
    for (int i = at - 1; i >= 0 && i >= at - 2; i--) {
      if (!lines.get(i).isBlank()) {
        return Optional.of(lines.get(i).strip());
      }
    }
    return Optional.empty();
  }

  /**
   * @param fallback the path where none is right above; not taken if another file is named in
   *     between
   * @param since the index of the line that the fallback reaches from
   */
  private void edit(Optional<String> label, Optional<String> fallback, int since)
      throws PatchRejection {
    List<String> between = lines.subList(since, at);
    String above = at > 0 ? lines.get(at - 1) : "";
    String path =
        label
            .or(() -> newFile(at))
            .or(() -> fallback.filter(same -> !labels.nameOther(between, same)))
            .orElseThrow(() -> noPath(above.strip()));
    lastPath = Optional.of(path);
    int length = line().strip().lastIndexOf('<') + 1;
    at++;
    int divider = divider(length);
    IntPredicate divides = i -> divider < 0 ? is(DIVIDER, i) : i == divider;
    String search = until(divides, divides, path, "=======");
    String replace = until(i -> is(REPLACE, i), divides, path, ">>>>>>> REPLACE");
    parts.add(new AnswerPart.Edit(path, search, replace));
    lastEnd = at;
  }

  /**
   * Returns the path in the line above a block or its fence, where the block has nothing to search
   * for.
   *
   * @param below the index of the line below
   */
  private Optional<String> newFile(int below) {
    if (below == 0 || OpenFence.LINE.matcher(lines.get(below - 1)).matches()) {
      return Optional.empty();
    }
    int next = at + 1;
    while (next < lines.size() && lines.get(next).isBlank()) {
      next++;
    }
    return next < lines.size() && DIVIDER.matcher(lines.get(next).strip()).matches()
        ? labels.alone(lines.get(below - 1))
        : Optional.empty();
  }

  private static PatchRejection noPath(String above) {
    String shown = ShortText.of(above, 100);
    String not = above.isEmpty() ? "" : "; \"" + shown + "\" is not taken for one";
    return PatchRejection.malformed(
        "A search/replace block has no path: write \"File: PATH\" alone on the line above it"
            + not
            + ".");
  }

  /**
   * Returns the divider of a block, which is as long as its first mark, because the block may also
   * contain the underline of a heading. Returns -1 if no line is that long, or several are.
   */
  private int divider(int length) {
    int found = -1;
    for (int i = at; i < lines.size() && !is(SEARCH, i) && !is(REPLACE, i); i++) {
      if (is(DIVIDER, i) && lines.get(i).strip().length() == length) {
        if (found >= 0) {
          return -1;
        }
        found = i;
      }
    }
    return found;
  }

  private boolean is(Pattern mark, int index) {
    return mark.matcher(lines.get(index).strip()).matches();
  }

  private String until(IntPredicate end, IntPredicate divides, String path, String mark)
      throws PatchRejection {
    StringBuilder text = new StringBuilder();
    for (; at < lines.size(); at++) {
      if (end.test(at)) {
        at++;
        return text.toString();
      }
      if (divides.test(at)) {
        throw PatchRejection.malformed(
            ("A search/replace block for %s has \"%s\" more than once, perhaps below a heading:"
                    + " leave that line out of the block, or write a unified diff.")
                .formatted(path, line().strip()));
      }
      if (isSearch()) {
        break;
      }
      text.append(line()).append('\n');
    }
    throw PatchRejection.malformed(
        ("A search/replace block for %s is not complete: it needs, in this order and once"
                + " each, the lines \"<<<<<<< SEARCH\", \"=======\" and \">>>>>>> REPLACE\"; \"%s\""
                + " is missing.")
            .formatted(path, mark));
  }
}
