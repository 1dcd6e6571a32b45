package dev.holdfast.tool.patch;

import dev.holdfast.tool.patch.FileDiff.Operation;
import dev.holdfast.tool.patch.PatchResult.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads the lines before a file's hunks, and what they mean together. */
final class FileHeaders {
  private static final List<String> VALUES =
      List.of(
          "old mode ",
          "new mode ",
          "new file mode ",
          "deleted file mode ",
          "rename from ",
          "rename to ",
          "copy from ",
          "copy to ",
          "--- ",
          "+++ ",
          "index ");

  private static final Set<String> IGNORED = Set.of("similarity index ", "dissimilarity index ");

  private final Predicate<String> exists;
  private final Map<String, String> values = new HashMap<>();
  private List<String> binary = List.of();
  private HeaderNames git = HeaderNames.UNKNOWN;

  FileHeaders(Predicate<String> exists) {
    this.exists = exists;
  }

  /** Takes a line, if it is a header. */
  boolean take(String line) throws PatchRejection {
    if (line.startsWith("diff --git ")) {
      git = HeaderNames.ofGit(line.substring("diff --git ".length()));
      return true;
    }
    if (line.startsWith("Binary files ")) {
      throw new PatchRejection(
          Kind.UNSAFE,
          "The patch says that binary files differ, but not how: a patch may change text only.");
    }
    for (String name : VALUES) {
      if (line.startsWith(name)) {
        values.putIfAbsent(name, line.substring(name.length()));
        return true;
      }
    }
    return IGNORED.stream().anyMatch(line::startsWith);
  }

  /** True if both names are known, so that more of them belong to the next file. */
  boolean hasNames() {
    return values.containsKey("+++ ");
  }

  /** Takes the lines of a binary patch. With it, git needs the whole ids of both versions. */
  void binary(List<String> lines) {
    String index = values.get("index ");
    List<String> all = new ArrayList<>(lines);
    if (index != null) {
      all.addFirst("index " + index);
    }
    binary = all;
  }

  FileDiff file(List<Hunk> hunks) throws PatchRejection {
    refuseSubmodule();
    for (String move : List.of("rename", "copy")) {
      String from = values.get(move + " from ");
      String to = values.get(move + " to ");
      if (from != null && to != null) {
        return moved(move, from, to, hunks);
      }
      if (from != null || to != null) {
        throw PatchRejection.malformed(
            "The patch has only one of \"" + move + " from PATH\" and \"" + move + " to PATH\".");
      }
    }
    HeaderNames names = names().resolved(exists);
    Operation operation = operation(names, hunks);
    @Nullable String oldMode = values.get("old mode ");
    @Nullable String newMode = values.get("new mode ");
    if (operation == Operation.CREATE) {
      newMode = values.get("new file mode ");
    } else if (operation == Operation.DELETE) {
      oldMode = values.get("deleted file mode ");
      newMode = null;
    }
    List<Hunk> all =
        operation == Operation.CREATE ? hunks.stream().map(FileHeaders::whole).toList() : hunks;
    return new FileDiff(
        operation, names.existing(), names.resulting(), oldMode, newMode, binary, all);
  }

  /**
   * Completes a hunk of a new file. Such a file has no context, so its empty lines lack only their
   * +, as models write them.
   */
  private static Hunk whole(Hunk hunk) {
    List<String> lines =
        hunk.lines().stream()
            .map(line -> line.isEmpty() || line.equals("\r") ? "+" + line : line)
            .toList();
    Hunk whole = hunk.withLines(lines);
    HunkHeader header = hunk.header();
    return lines.equals(hunk.lines())
        ? hunk
        : whole.withHeader(
            header.withCounts(whole.oldLines(), Math.max(header.newCount(), whole.newLines())));
  }

  /**
   * Makes the diff of a rename or a copy. Git writes these names without prefixes, but a model may
   * write them as in the first line.
   */
  private FileDiff moved(String move, String from, String to, List<Hunk> hunks)
      throws PatchRejection {
    String source = QuotedPath.unquoted(from.strip());
    String target = QuotedPath.unquoted(to.strip());
    String bare = HeaderNames.plain(source, "a/", exists);
    boolean asInFirst = source.equals(git.old()) && target.equals(git.changed());
    boolean prefixed = asInFirst && source.startsWith("a/") && !bare.equals(source);
    return new FileDiff(
        move.equals("copy") ? Operation.COPY : Operation.RENAME,
        prefixed ? bare : HeaderNames.withoutDot(source),
        prefixed ? HeaderNames.plain(target, "b/", exists) : HeaderNames.withoutDot(target),
        values.get("old mode "),
        values.get("new mode "),
        binary,
        hunks);
  }

  private HeaderNames names() throws PatchRejection {
    String minus = values.get("--- ");
    String plus = values.get("+++ ");
    if (minus == null && plus == null && git.isKnown()) {
      return git;
    }
    if (minus == null && plus != null) {
      return new HeaderNames(git.isKnown() ? git.old() : null, QuotedPath.ofHeader(plus));
    }
    return new HeaderNames(
        minus == null ? null : QuotedPath.ofHeader(minus),
        plus == null ? null : QuotedPath.ofHeader(plus));
  }

  private Operation operation(HeaderNames names, List<Hunk> hunks) {
    if (values.containsKey("deleted file mode ") || names.isDeletion()) {
      return Operation.DELETE;
    }
    boolean fromNothing =
        hunks.size() == 1
            && hunks.getFirst().header().oldStart() == 0
            && hunks.getFirst().before().isEmpty()
            && !exists.test(names.resulting());
    return values.containsKey("new file mode ") || names.isCreation() || fromNothing
        ? Operation.CREATE
        : Operation.MODIFY;
  }

  private void refuseSubmodule() throws PatchRejection {
    String index = values.getOrDefault("index ", "");
    if (index.endsWith(" 160000")) {
      throw PatchRejection.unsafe("The patch changes a submodule, which no patch may do.");
    }
    if (index.endsWith(" 120000")) {
      throw PatchRejection.unsafe("The patch changes a symbolic link, which no patch may do.");
    }
  }
}
