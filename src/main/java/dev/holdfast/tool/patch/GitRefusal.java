package dev.holdfast.tool.patch;

import dev.holdfast.failure.ShortText;
import dev.holdfast.tool.patch.PatchResult.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns git's messages about a patch into text that helps a model to correct it. */
record GitRefusal(PatchTarget target, List<FileDiff> files) {
  private static final Pattern FAILED = Pattern.compile("(?m)^error: patch failed: (.+):(\\d+)$");
  private static final Pattern CORRUPT =
      Pattern.compile("(?m)^error: corrupt patch at (?:line |\\S+:)(\\d+)$");
  private static final Pattern MALFORMED =
      Pattern.compile(
          "corrupt patch|patch fragment without header|patch with only garbage|No valid patches"
              + "|inconsistent (?:old|new) filename|lacks filename|expected /dev/null"
              + "|invalid mode on line|unexpected end of file|unrecognized binary patch"
              + "|corrupt binary patch");
  private static final Pattern MISFIT =
      Pattern.compile(
          "patch failed|patch does not apply|No such file or directory|already exists in"
              + "|removal patch leaves file contents|wrong type|still has contents"
              + "|depends on old contents|has been deleted|cannot apply binary patch"
              + "|without full index line");
  private static final Pattern UNSAFE =
      Pattern.compile("invalid path|beyond a symbolic link|outside of (?:the )?repository");

  private static final int AROUND = 3;
  private static final int MAX_SHOWN = 40;
  private static final int MAX_LINE = 300;

  /** True if git, of any version, could not count the lines of a hunk (E41). */
  static boolean isCorrupt(String stderr) {
    return CORRUPT.matcher(stderr).find();
  }

  /**
   * @param patch what git was given
   */
  PatchRejection of(String stderr, String patch) throws IOException {
    String said = stderr.strip();
    Kind kind = kind(said);
    String start = "The patch does not apply, nothing was changed. Git says:\n" + said + "\n";
    return new PatchRejection(kind, start + details(said, patch), said);
  }

  private static Kind kind(String said) {
    if (UNSAFE.matcher(said).find()) {
      return Kind.UNSAFE;
    }
    if (MISFIT.matcher(said).find()) {
      return Kind.DOES_NOT_APPLY;
    }
    return MALFORMED.matcher(said).find() ? Kind.MALFORMED : Kind.GIT_FAILED;
  }

  private String details(String said, String patch) throws IOException {
    Matcher failed = FAILED.matcher(said);
    if (failed.find()) {
      return misfit(failed.group(1), Integer.parseInt(failed.group(2)));
    }
    Matcher corrupt = CORRUPT.matcher(said);
    if (corrupt.find()) {
      return corrupt(Integer.parseInt(corrupt.group(1)), patch);
    }
    if (said.contains("already exists")) {
      return "A patch that says \"new file\" cannot change a file that is there: write --- a/PATH.";
    }
    if (said.contains("No such file")) {
      return "Correct the path, or write --- /dev/null for a new file.";
    }
    if (said.contains("removal patch leaves") || said.contains("still has contents")) {
      return "To delete a file, remove every line of it, as the file is now.";
    }
    return "";
  }

  private static String corrupt(int number, String patch) {
    List<String> lines = patch.lines().toList();
    int at = Math.min(number, lines.size()) - 1;
    return at < 0
        ? ""
        : "A hunk ends before it has as many lines as its header says, or a line in it begins with"
            + " none of \" \", \"+\" and \"-\". The last line it got to is:\n"
            + cut(lines.get(at));
  }

  private String misfit(String path, int start) throws IOException {
    Optional<FileDiff> file = files.stream().filter(f -> f.paths().contains(path)).findFirst();
    if (file.isEmpty()) {
      return "";
    }
    List<Hunk> hunks = file.get().hunks();
    Hunk hunk =
        hunks.stream()
            .filter(h -> h.header().oldStart() == start)
            .findFirst()
            .orElse(hunks.getFirst());
    List<String> wanted = hunk.before().stream().filter(line -> !line.equals("\\")).toList();
    String content = content(file.get().oldPath());
    List<String> actual = content.lines().toList();
    boolean deletes = file.get().operation() == FileDiff.Operation.DELETE;
    return about(hunk, wanted, path, deletes)
        + openEnd(hunk, content, wanted)
        + real(path, actual, wanted, start);
  }

  /** Says why a hunk does not fit whose lines are at the end of a file without a last line end. */
  private static String openEnd(Hunk hunk, String content, List<String> wanted) {
    String end = "\n" + LineEnds.withoutReturn(String.join("\n", wanted));
    boolean marked = hunk.lines().stream().anyMatch(line -> line.startsWith("\\"));
    boolean open = !content.isEmpty() && !content.endsWith("\n");
    return !marked && open && ("\n" + content).endsWith(end)
        ? "The file's last line has no line end: write \"\\ No newline at end of file\" after it"
            + " in the hunk, and after the line in its place if that has none either. "
        : "";
  }

  private static String about(Hunk hunk, List<String> wanted, String path, boolean deletes) {
    StringBuilder text = new StringBuilder();
    if (deletes) {
      text.append("To delete a file, remove every line of it, as the file is now. ");
    }
    text.append("The context and the removed lines of the hunk \"").append(hunk.header().text());
    text.append("\" must be in ").append(path).append(" letter for letter. ");
    if (!deletes && wanted.size() == hunk.removed()) {
      text.append("It has no line of context: give three before and three after. ");
    }
    if (hunk.lines().stream().anyMatch(line -> line.matches(".*&(?:lt|gt|amp|quot|#39);.*"))) {
      text.append("Write <, > and & as they are, not as HTML. ");
    }
    return text.toString();
  }

  private static String real(String path, List<String> actual, List<String> wanted, int start) {
    int place = NearestMatch.place(actual, wanted);
    int near =
        place >= 0 ? place : Math.min(Math.max(0, start - 1), Math.max(0, actual.size() - 1));
    int from = Math.max(0, near - AROUND);
    int to = Math.min(actual.size(), Math.min(near + wanted.size() + AROUND, from + MAX_SHOWN));
    if (from >= to) {
      return path + " is empty.";
    }
    StringBuilder text = new StringBuilder();
    firstDifference(actual, wanted, near).ifPresent(text::append);
    text.append("The lines of ").append(path).append(", with their numbers:\n");
    for (int i = from; i < to; i++) {
      text.append(String.format(Locale.ROOT, "%6d\t%s%n", i + 1, cut(actual.get(i))));
    }
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  private static Optional<String> firstDifference(
      List<String> actual, List<String> wanted, int place) {
    for (int i = 0; i < wanted.size(); i++) {
      String there = place + i < actual.size() ? actual.get(place + i) : null;
      String line = wanted.get(i);
      if (there == null) {
        return Optional.of("The file ends before the line \"" + cut(line) + "\". ");
      }
      if (!there.equals(line)) {
        String spaces = there.strip().equals(line.strip()) ? " They differ in spaces only." : "";
        return Optional.of(
            "The first difference: the patch has \"%s\" where line %s is \"%s\".%s\n"
                .formatted(cut(line), place + i + 1, cut(there), spaces));
      }
    }
    return Optional.empty();
  }

  private String content(String path) throws IOException {
    if (!target.isFile(path)) {
      return "";
    }
    try {
      return new String(target.read(path), StandardCharsets.UTF_8);
    } catch (PatchRejection e) {
      return ""; // Too large to be shown.
    }
  }

  private static String cut(String line) {
    return ShortText.of(line, MAX_LINE);
  }
}
