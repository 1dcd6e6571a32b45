package dev.holdfast.tool.patch;

import dev.holdfast.process.DirectoryTree;
import dev.holdfast.process.MachineLimits;
import dev.holdfast.process.TemporaryPlace;
import dev.holdfast.process.Utf8;
import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitCommand;
import dev.holdfast.tool.git.GitResult;
import dev.holdfast.tool.patch.PatchResult.Kind;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Applies whole-file and search/replace blocks, and lets git make a diff of the changes. */
final class BlockEdits {
  /** A line such as {@code // ... rest of the code}: the rest of the file would be lost. */
  private static final Pattern ELISION =
      Pattern.compile(
          "(?im)^[ \\t]*+(?://|#|/\\*|\\*|--|<!--|;|%)\\s*(?:\\.{3}|…).*\\b(?:rest|existing|"
              + "remaining|unchanged|same|previous|other|omitted|remains?|code|as before)\\b.*$");

  private final PatchTarget target;

  /** The paths of files that begin with a byte order mark; their texts are kept without it. */
  private final Set<String> marked = new HashSet<>();

  private final Map<String, Optional<String>> before = new LinkedHashMap<>();
  private final Map<String, Optional<String>> after = new LinkedHashMap<>();

  BlockEdits(PatchTarget target) {
    this.target = target;
  }

  Set<String> paths() {
    return after.keySet();
  }

  void take(AnswerPart.WholeFile file) throws IOException, PatchRejection {
    if (file.cutOff()) {
      throw PatchRejection.malformed(
          "The answer ended within the block of " + file.path() + ": write less, all of it.");
    }
    Optional<String> old = load(file.path());
    if (old.isPresent()
        && ELISION.matcher(file.content()).find()
        && !ELISION.matcher(old.get()).find()) {
      throw PatchRejection.malformed(
          "The block of "
              + file.path()
              + " leaves out a part of the file: a whole-file block replaces all of it. Write the"
              + " whole file, or a search/replace block.");
    }
    String content =
        marked.contains(file.path()) ? Utf8.withoutMark(file.content()) : file.content();
    if (old.isPresent()) {
      if (!old.get().isEmpty() && !old.get().endsWith("\n") && content.endsWith("\n")) {
        content = content.substring(0, content.length() - 1);
      }
      content = LineEnds.of(old.get()).in(content);
    }
    after.put(file.path(), Optional.of(content));
  }

  void take(AnswerPart.Edit edit) throws IOException, PatchRejection {
    Optional<String> old = load(edit.path());
    Optional<String> now = after.getOrDefault(edit.path(), old);
    String text = now.orElse("");
    if (edit.search().isBlank()) {
      if (!text.isEmpty()) {
        throw PatchRejection.malformed(
            "The search part of a block for "
                + edit.path()
                + " is empty, but there is such a file: put the lines to replace there.");
      }
      after.put(edit.path(), Optional.of(edit.replace()));
      return;
    }
    if (now.isEmpty()) {
      throw missing(edit.path());
    }
    if (LineEnds.fitsBoth(text, edit.search())) {
      throw ambiguous(edit.path(), text.replace("\r\n", "\n"), edit.search());
    }
    LineEnds ends = LineEnds.at(text, edit.search());
    String result = replaced(edit.path(), text, ends.in(edit.search()), ends.in(edit.replace()));
    after.put(edit.path(), Optional.of(result));
  }

  void take(AnswerPart.Chunk chunk) throws IOException, PatchRejection {
    String text = now(chunk.path()).orElseThrow(() -> missing(chunk.path()));
    String result = new ChunkPlace(chunk, text).replaced();
    after.put(chunk.path(), Optional.of(result));
  }

  void take(AnswerPart.NewFile file) throws IOException, PatchRejection {
    if (now(file.path()).isPresent()) {
      throw new PatchRejection(
          Kind.DOES_NOT_APPLY,
          "There is a file " + file.path() + " already: update it. Nothing was changed.");
    }
    after.put(file.path(), Optional.of(file.content()));
  }

  void take(AnswerPart.Deletion deletion) throws IOException, PatchRejection {
    if (now(deletion.path()).isEmpty()) {
      throw missing(deletion.path());
    }
    after.put(deletion.path(), Optional.empty());
  }

  private Optional<String> now(String path) throws IOException, PatchRejection {
    Optional<String> old = load(path);
    return after.getOrDefault(path, old);
  }

  private static PatchRejection missing(String path) {
    return new PatchRejection(
        Kind.DOES_NOT_APPLY,
        "There is no file " + path + ": correct the path. Nothing was changed.");
  }

  private static String replaced(String path, String text, String search, String replace)
      throws PatchRejection {
    int at = place(text, search, 0);
    int tail = tail(text, search);
    if (at < 0 && tail >= 0) {
      return text.substring(0, tail) + withoutEnd(replace);
    }
    if (at < 0) {
      throw new PatchRejection(
          Kind.DOES_NOT_APPLY,
          NearestMatch.notFound(path, text, search) + "\nNothing was changed.",
          path + "\n" + search);
    }
    if (tail >= 0 || place(text, search, at + 1) >= 0) {
      String whole = tail < 0 ? text : text.substring(0, tail) + search;
      throw ambiguous(path, whole, search);
    }
    return text.substring(0, at) + replace + text.substring(at + search.length());
  }

  private static PatchRejection ambiguous(String path, String text, String search) {
    return new PatchRejection(
        Kind.DOES_NOT_APPLY,
        NearestMatch.ambiguous(path, text, search) + " Nothing was changed.",
        path + "\n" + search);
  }

  /**
   * Returns the place of the lines at the end of a text whose last line has no line end; -1 if they
   * are not there.
   */
  private static int tail(String text, String search) {
    String exact = withoutEnd(search);
    String last = text.endsWith(exact) ? exact : search.stripTrailing();
    int at = text.length() - last.length();
    boolean fits = !text.endsWith("\n") && text.endsWith(last);
    return fits && (at == 0 || text.charAt(at - 1) == '\n') ? at : -1;
  }

  private static String withoutEnd(String lines) {
    return lines.replaceFirst("\\r?\\n\\z", "");
  }

  /** Returns the place where the lines begin; -1 if they are nowhere as whole lines. */
  static int place(String text, String search, int from) {
    int at = text.indexOf(search, from);
    while (at > 0 && text.charAt(at - 1) != '\n') {
      at = text.indexOf(search, at + 1);
    }
    return at;
  }

  private Optional<String> load(String path) throws IOException, PatchRejection {
    target.check(path);
    Optional<String> known = before.get(path);
    if (known != null) {
      return known;
    }
    Optional<String> content = Optional.empty();
    if (target.isFile(path)) {
      String text = text(path, target.read(path));
      content = Optional.of(Utf8.withoutMark(text));
      if (text.startsWith(Utf8.MARK)) {
        marked.add(path);
      }
    }
    before.put(path, content);
    return content;
  }

  private static String text(String path, byte[] bytes) throws PatchRejection {
    try {
      String text = Utf8.strictly(bytes);
      if (text.indexOf('\0') < 0) {
        return text;
      }
    } catch (CharacterCodingException e) {
      // The answer is the same as for a binary file.
    }
    throw PatchRejection.unsafe(
        path
            + " is no UTF-8 text: a block may not change it. A diff may, where its hunks have three"
            + " lines of context with ASCII letters only; otherwise go on without it.");
  }

  /**
   * Returns the diff that makes these changes; empty where nothing would change.
   *
   * @throws dev.holdfast.process.NotPreparedException if this machine has no room to compare them
   */
  String diff(Git git) throws IOException, InterruptedException, PatchRejection {
    after
        .entrySet()
        .removeIf(
            entry -> Objects.requireNonNull(before.get(entry.getKey())).equals(entry.getValue()));
    if (after.isEmpty()) {
      return "";
    }
    Path directory = MachineLimits.temporaryDirectory(TemporaryPlace.BLOCKS);
    try {
      for (Map.Entry<String, Optional<String>> entry : after.entrySet()) {
        Optional<String> old = Objects.requireNonNull(before.get(entry.getKey()));
        String mark = marked.contains(entry.getKey()) ? Utf8.MARK : "";
        if (old.isPresent()) {
          write(directory.resolve("a").resolve(entry.getKey()), mark + old.get());
        }
        if (entry.getValue().isPresent()) {
          write(directory.resolve("b").resolve(entry.getKey()), mark + entry.getValue().get());
        }
      }
      Files.createDirectories(directory.resolve("a"));
      Files.createDirectories(directory.resolve("b"));
      return diff(git, directory);
    } finally {
      DirectoryTree.delete(directory);
    }
  }

  private static String diff(Git git, Path directory)
      throws IOException, InterruptedException, PatchRejection {
    GitResult result =
        git.run(
            GitCommand.in(
                    directory,
                    "diff",
                    "--no-index",
                    "--no-prefix",
                    "--no-color",
                    "--no-ext-diff",
                    "--no-textconv",
                    "--no-renames",
                    "--text",
                    "a",
                    "b")
                .withVariable("GIT_DIR", "/dev/null"));
    if (result.exitCode() == 1 && !result.stdoutComplete()) {
      throw PatchDraft.tooLong();
    }
    if (result.exitCode() > 1 || result.exitCode() < 0) {
      throw new IOException("git cannot compare two versions of files: " + result.stderr().strip());
    }
    return result.stdout();
  }

  private static void write(Path file, String content) throws IOException {
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    // Half a character becomes a question mark, as in what git reads.
    Files.write(file, content.getBytes(StandardCharsets.UTF_8));
  }
}
