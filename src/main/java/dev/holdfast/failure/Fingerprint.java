package dev.holdfast.failure;

import static dev.holdfast.failure.PlacedPattern.isDigit;
import static dev.holdfast.failure.PlacedPattern.isFree;

import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * A hash that is equal for equal errors of different runs and different for different errors: of
 * the category, the HTTP status and the root cause lines, without what changes from run to run
 * (ids, times, durations, paths, positions, addresses, numbers) and in lower case of the root
 * locale.
 */
final class Fingerprint {
  private static final int BYTES = 16;
  private static final int MAX_LINES = 12;
  private static final int MAX_LINE = 500;

  private static final List<String> TELLING =
      List.of(
          "error",
          "exception",
          "fail",
          "fatal",
          "panic",
          "denied",
          "refused",
          "cannot",
          "can't",
          "unable",
          "not found",
          "expected",
          "timed out",
          "timeout",
          "limit",
          "quota",
          "invalid",
          "exceeded",
          "killed",
          "conflict",
          "rejected",
          "undefined",
          "missing");

  private static final LiteralIndex TELLING_WORDS = LiteralIndex.of(TELLING);

  /** The text that may stand between a word for a code and its number. */
  private static final String IS =
      "(?:[ _-]?(?:with|code|status|value|number|is|was)){0,3}[ \"':=(\\[#-]{1,3}";

  private static final String CODE =
      "(?:exit(?:ed)?|return[ _-]?(?:value|code)|signal|status|code|rc|curl:)"
          + IS
          + "(?=\\d{1,4}(?!\\d))"
          + "|(?:errno|sqlstate|error(?!:[ \"'(\\[#-]{1,3}\\d{1,7} [a-z]))"
          + IS;

  /** The letters of codes such as E0308 and ORA-00942. */
  private static final String LETTERS_OF_CODE =
      "(?:error|warning)[ \\[(]{1,2}[a-z]{1,6}(?=\\d{3,5}[\\]):])|(?:ora-|aadsts)(?=\\d{1,7}:)";

  private static final String NO_COUNT =
      "(?![\\w.%]|[:/,-]\\d|"
          + " ?(?:[mun]?s|secs?|seconds?|mins?|minutes?|h|hours?|days?|times?|of)\\b)";

  /**
   * Numbers that name the error; they stay. The 12 of "error on line 12" and the 5 of "error: 5
   * tests failed" do not.
   */
  static final PlacedPattern NAMING =
      PlacedPattern.of(
          "(?<![a-z\\d])(" + CODE + "|" + LETTERS_OF_CODE + ")(\\d{1,7})" + NO_COUNT,
          "erscwoa",
          (text, at) -> at == 0 || !Character.isLetterOrDigit(text.charAt(at - 1)));

  /**
   * A replacement in a line of lower case.
   *
   * @param needs the characters of which a line must have one; otherwise the step is not tried
   */
  record Step(PlacedPattern pattern, String replacement, String needs) {
    Step(
        String regex,
        String replacement,
        String needs,
        String starts,
        PlacedPattern.Places places) {
      this(PlacedPattern.of(regex, starts, places), replacement, needs);
    }

    String apply(String line) {
      for (int i = 0; i < needs.length(); i++) {
        if (line.indexOf(needs.charAt(i)) >= 0) {
          return pattern.replaceIn(line, replacement);
        }
      }
      return line;
    }
  }

  private static final String DIGITS = "0123456789";

  private static final String HEX = DIGITS + "abcdef";
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";

  /**
   * A test that no digits after the point of a number follow: they are no id, however many they
   * are.
   */
  private static final String NO_FRACTION =
      "(?!(?<=\\d[.,])\\d{1,64}(?:e[-+]?\\d{1,3})?(?:[mun]?s)?(?![\\w>-]))";

  private static final String MONTH =
      "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";

  /** An optional time of day after a date. */
  private static final String CLOCK =
      "(?:[,:]? ?\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?: ?[ap]m)?(?: [+-]\\d{4})?)?";

  private static final PlacedPattern.Places ANYWHERE = (text, at) -> true;

  static final List<Step> STEPS =
      List.of(
          new Step("https?://[^\\s\"'<>)]{1,400}", "<url>", ":", "h", ANYWHERE),
          new Step(
              "\\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\b",
              "<id>", "-", HEX, (text, at) -> at + 8 < text.length() && text.charAt(at + 8) == '-'),
          new Step(
              "\\b(?:request|trace|correlation|session|transaction|event|message|operation|activity)["
                  + " _-]?id[\"']? ?[:=] ?[\"']?[\\w+/=.-]{4,120}",
              "<id>",
              ":=",
              "rtcsemoa",
              PlacedPattern::isFree),
          new Step(
              "\\b\\d{4}[-/]\\d{2}[-/]\\d{2}(?:[t ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?:"
                  + " ?z|[+-]\\d{2}:?\\d{2})?)?",
              "<time>", "-/", DIGITS, (text, at) -> isDigit(text, at + 3) && isDigit(text, at + 5)),
          new Step(
              "\\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? \\d{1,2} [a-z]{3} \\d{4}(?:"
                  + " \\d{2}:\\d{2}:\\d{2})?(?: gmt)?",
              "<time>", DIGITS, "mtwfs", PlacedPattern::isFree),
          new Step(
              "\\b(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? )?"
                  + MONTH
                  + " {1,2}\\d{1,2}(?:,? \\d{4})?"
                  + CLOCK
                  + "(?: (?:[a-z]{3,5} )?\\d{4})?\\b",
              "<time>",
              DIGITS,
              "mtwfsjaond",
              PlacedPattern::isFree),
          new Step(
              "\\b\\d{1,2}(?<day>[ /-])" + MONTH + "\\k<day>\\d{4}" + CLOCK + "\\b",
              "<time>",
              DIGITS,
              DIGITS,
              PlacedPattern::isFree),
          new Step(
              "\\b\\d{1,2}/\\d{1,2}/\\d{4}" + CLOCK + "\\b",
              "<time>",
              "/",
              DIGITS,
              PlacedPattern::isFree),
          // This is a position, as in a.c:10:15, and no time of day.
          new Step(
              "(?:(?<=[a-z_.]|[a-z_]\\d):|\\bline )\\d{1,6}:\\d{1,6}\\b(?!:\\d)",
              ":<n>",
              ":",
              ":l",
              ANYWHERE),
          new Step(
              "\\b\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?: ?[ap]m)?\\b",
              "<time>", ":", DIGITS, PlacedPattern::isFree),
          new Step(
              "(?<![\\w/.<])(?:[a-z]:[\\\\/]|\\\\\\\\|~?/)[^\\s\"'`<>|:;,()\\[\\]]{1,400}",
              "<path>",
              "/\\",
              LETTERS + "/~\\",
              Fingerprint::mayStartPath),
          new Step(
              "(?<![\\w/])(?:\\.{0,2}[\\w.@+-]{1,80}[/\\\\]){1,30}(?=[\\w.@+-])",
              "<path>",
              "/\\",
              DIGITS + LETTERS + "_.@+-/\\",
              PlacedPattern::isFree),
          new Step("\\b0x[0-9a-f]{1,16}\\b", "<n>", "x", "0", ANYWHERE),
          new Step("@[0-9a-f]{4,16}\\b", "@<id>", "@", "@", ANYWHERE),
          new Step(
              "\\b(?:\\d{1,3}\\.){3}\\d{1,3}(?::\\d{1,5})?\\b",
              "<addr>", ".", DIGITS, PlacedPattern::isFree),
          new Step(
              "\\b(?:req|request|org|organization|msg|run|call|chatcmpl|toolu|sess|session|proj|project|user|trace|asst|thread|batch|resp|sk|ak|ray|cs|id|job|task|ticket|attempt|worker|pod|tmp|temp)[_-](?:[\\w-]{2,80}(?<=\\w)|\\d)",
              "<id>",
              "_-",
              "romctspubaijw",
              PlacedPattern::isFree),
          // A counter in a name does not belong to the digits that make an id of the name.
          new Step(
              "(?<=[a-z]{2}[_-])\\d{1,9}(?:(?!\\w)|(?=[_-][a-z]))",
              "<n>", "_-", DIGITS, (text, at) -> at > 1 && "_-".indexOf(text.charAt(at - 1)) >= 0),
          new Step(
              "(?<![\\w<])"
                  + NO_FRACTION
                  + "(?=[a-z_-]{0,40}\\d)(?=[\\d_-]{0,40}[a-z])[0-9a-z_-]{16,120}(?![\\w>])",
              "<id>",
              DIGITS,
              DIGITS + LETTERS + "_-",
              (text, at) -> isFree(text, at) && goesOn(text, at, 16, Fingerprint::isOfId)),
          new Step(
              "(?<![\\w<])" + NO_FRACTION + "(?=[a-f]{0,40}\\d)[0-9a-f]{7,64}(?![\\w>])",
              "<id>",
              DIGITS,
              HEX,
              (text, at) -> isFree(text, at) && goesOn(text, at, 7, Fingerprint::isHex)),
          new Step(
              "(?<![\\w<])(?:\\d{1,12}(?:\\.\\d{1,30})?\\s?(?:ms|milliseconds?|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|us|µs|ns|s|m|h|d)(?![a-z])["
                  + " ,]{0,2}){1,8}",
              "<span> ",
              DIGITS,
              DIGITS,
              PlacedPattern::isFree),
          new Step(
              "(?<![a-z<])[-+]?\\d{1,30}(?:[.,]\\d{1,30}){0,6}(?:e[-+]?\\d{1,3}(?!\\w))?",
              "<n>",
              DIGITS,
              DIGITS + "+-",
              (text, at) -> isDigit(text, at) || isDigit(text, at + 1)),
          new Step("<n>(?: ?[kmgt]i?b|%)(?![a-z])", "<n>", ">", "<", ANYWHERE));

  private Fingerprint() {}

  static String of(
      Category category, @Nullable Integer httpStatus, String window, String rootCause) {
    return Sha256.hex(
        category.wireName() + "\n" + httpStatus + "\n" + normalised(window, rootCause), BYTES);
  }

  static String normalised(String window, String rootCause) {
    String text = rootCause.isBlank() ? tellingLines(window) : rootCause;
    StringBuilder out = new StringBuilder();
    for (String line : text.split("\n", MAX_LINES + 1)) {
      out.append(normaliseLine(line.substring(0, Math.min(line.length(), MAX_LINE)))).append('\n');
    }
    return out.toString().strip();
  }

  private static String normaliseLine(String line) {
    String text = line.toLowerCase(Locale.ROOT);
    text = withNamesKept(text);
    for (Step step : STEPS) {
      text = step.apply(text);
    }
    return lettersOnly(text).strip();
  }

  private static String withNamesKept(String line) {
    PlacedPattern.Search names = NAMING.in(line);
    StringBuilder out = new StringBuilder(line.length());
    int done = 0;
    while (names.find()) {
      Matcher name = names.match();
      out.append(line, done, name.end(1)).append(letters(name.group(2)));
      done = name.end();
    }
    return done == 0 ? line : out.append(line, done, line.length()).toString();
  }

  private static boolean mayStartPath(String text, int at) {
    char c = text.charAt(at);
    return c == '/' || c == '~' || c == '\\' || text.startsWith(":", at + 1);
  }

  /** Returns whether so many characters of a kind follow one another. */
  private static boolean goesOn(String text, int at, int count, IntPredicate kind) {
    if (at + count > text.length()) {
      return false;
    }
    for (int i = at; i < at + count; i++) {
      if (!kind.test(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isOfId(int c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
  }

  private static boolean isHex(int c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  }

  /**
   * Puts one space for each run of characters that are neither a letter nor a mark of an earlier
   * step.
   */
  private static String lettersOnly(String text) {
    StringBuilder out = new StringBuilder(text.length());
    boolean gap = false;
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      int c = text.codePointAt(i);
      boolean kept = Character.isLetter(c) || "<>#".indexOf(c) >= 0;
      if (kept) {
        out.append(gap ? " " : "").appendCodePoint(c);
      }
      gap = !kept;
    }
    return out.append(gap ? " " : "").toString();
  }

  /** Writes digits as letters between #, so that the later steps leave them alone. */
  private static String letters(String digits) {
    StringBuilder out = new StringBuilder("#");
    for (int i = 0; i < digits.length(); i++) {
      out.append((char) ('a' + (digits.charAt(i) - '0')));
    }
    return out.append('#').toString();
  }

  private static String tellingLines(String window) {
    StringBuilder out = new StringBuilder();
    int lines = 0;
    String lastLine = "";
    for (String line : window.split("\n", -1)) {
      if (line.isBlank()) {
        continue;
      }
      lastLine = line;
      String start = line.substring(0, Math.min(line.length(), MAX_LINE));
      if (lines < MAX_LINES && isTelling(start)) {
        out.append(start).append('\n');
        lines++;
      }
    }
    return lines == 0 ? lastLine : out.toString();
  }

  private static boolean isTelling(String line) {
    return !TELLING_WORDS.in(LiteralIndex.fold(line)).isEmpty();
  }
}
