package dev.holdfast.tool.patch;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the path that an answer puts above a block, or after the backticks that open it. */
record MentionedPath(Predicate<String> isFile) {
  private static final Pattern NAMED =
      Pattern.compile(
          "(?i)^[\\s#>*_\\-\\d.]*(?:file ?(?:name|path)?|path)[*_`\"' ]{0,4}:(?:_{1,2}(?=\\s))?"
              + "[*`\"' ]{0,4}\\s*(\\S.*)$");

  /** The longest line that may be a path, whatever ornament is around it. */
  private static final int LONGEST = 2 * PathSafety.MAX_PATH;

  /** The most layers of brackets, ornaments and emphasis around one path. */
  private static final int MAX_LAYERS = 20;

  /** Emphasis around a whole name, because {@code __tests__/a.js} has none. */
  private static final Pattern EMPHASIS = Pattern.compile("_{1,2}(?=[^_])(.*[^_])_{1,2}");

  /** Brackets around a whole name, because {@code [id]/[key].ts} is a name. */
  private static final Pattern BRACKETS = Pattern.compile("\\([^()]+\\)|\\[[^\\[\\]]+\\]");

  private static final Pattern CLOSED_ONLY = Pattern.compile("[^(]*\\)|[^\\[]*\\]");
  private static final Pattern REMARK =
      Pattern.compile("\\((?:new|created|modified|changed)[^()]*\\):?\\s*$");
  private static final Pattern NUMBER = Pattern.compile("^\\s*(?:\\d+[.)]|[-*])\\s+");

  /** A name with an extension: "Before/After" above a fence is no file. */
  private static final Pattern LIKE_A_FILE =
      Pattern.compile("[^\\s:*?\"<>|]*[\\w)\\]]\\.[A-Za-z0-9]{1,10}");

  private static final Pattern ONE_WORD =
      Pattern.compile("[^\\s:*?\"<>|`]*\\w[^\\s\\w:*?\"<>|`.,;!]*");

  private static final Pattern WITH_DIRECTORY = Pattern.compile("(?=.+/.)[^\\s:*?\"<>|]+");

  private static final Pattern ATTRIBUTE =
      Pattern.compile("(?:title|file|filename|filepath|path|name)\\s*=\\s*[\"']?([^\"'\\s}]+)");

  /**
   * Reads the line above a block: the path alone, or after {@code File:}. The path of a file that
   * does not exist yet must contain a directory or be marked. Otherwise a heading like "Node.js"
   * would make a file.
   */
  Optional<String> above(String line) {
    if (line.length() > LONGEST) {
      return Optional.empty();
    }
    Matcher named = NAMED.matcher(line);
    if (named.matches()) {
      return Optional.of(bare(named.group(1))).filter(path -> !path.isEmpty());
    }
    String path = bare(NUMBER.matcher(line).replaceFirst(""));
    boolean marked = line.contains("`") || line.contains("**") || REMARK.matcher(line).find();
    boolean meant =
        (isPath(path) && (marked || path.contains("/")))
            || (marked && WITH_DIRECTORY.matcher(path).matches());
    return isFile.test(path) || meant ? Optional.of(path) : Optional.empty();
  }

  /**
   * Reads the line right above a block that makes a file: any single word, because it can mean
   * nothing else. A word that ends with a colon or a full stop is prose.
   */
  Optional<String> alone(String line) {
    if (line.length() > LONGEST) {
      return Optional.empty();
    }
    String path = bare(line.strip());
    return ONE_WORD.matcher(path).matches() && !line.strip().endsWith(":")
        ? Optional.of(path)
        : Optional.empty();
  }

  /**
   * Reads the line above a fence that is no block: one word that may be a file as well as a
   * heading.
   */
  Optional<String> perhaps(String line) {
    String word = line.endsWith(":") ? line.substring(0, line.length() - 1) : line;
    return word.length() <= LONGEST && isPath(word) ? Optional.of(word) : Optional.empty();
  }

  /** Reads the words after the backticks that open a fence. */
  Optional<String> inFence(String info) {
    if (info.length() > LONGEST) {
      return Optional.empty();
    }
    Matcher attribute = ATTRIBUTE.matcher(info);
    if (attribute.find()) {
      return Optional.of(attribute.group(1));
    }
    for (String word : info.strip().split("\\s+", -1)) {
      String path = word.contains("://") ? word : word.substring(word.indexOf(':') + 1);
      boolean bareWord = !path.contains("/") && !path.contains(".");
      if (isFile.test(path) || (!bareWord && isPath(path))) {
        return Optional.of(path);
      }
    }
    return Optional.empty();
  }

  /** True if prose mentions a file other than this one. */
  boolean nameOther(List<String> prose, String path) {
    Set<String> words = new HashSet<>();
    prose.forEach(line -> words.addAll(List.of(line.strip().split("[\\s,;]+", -1))));
    return words.stream()
        .filter(word -> word.length() <= LONGEST)
        .map(this::bare)
        .filter(named -> isFile.test(named) || (isPath(named) && named.contains("/")))
        .anyMatch(named -> !named.equals(path));
  }

  private static boolean isPath(String text) {
    return !text.contains("://") && LIKE_A_FILE.matcher(text).matches();
  }

  private String bare(String text) {
    String plain = REMARK.matcher(text).replaceFirst("");
    String before = "";
    for (int layer = 0; layer < MAX_LAYERS && !plain.equals(before); layer++) {
      before = plain;
      plain = isFile.test(plain) ? plain : withoutOrnament(plain);
      plain = isFile.test(plain) ? plain : inside(plain);
    }
    return plain;
  }

  private static String withoutOrnament(String text) {
    int from = 0;
    int to = text.length();
    while (from < to && isOrnament(text.charAt(from), "#>")) {
      from++;
    }
    while (from < to && isOrnament(text.charAt(to - 1), ":")) {
      to--;
    }
    return text.substring(from, to);
  }

  private static boolean isOrnament(char c, String more) {
    return " \t\n\u000b\f\r*`\"'".indexOf(c) >= 0 || more.indexOf(c) >= 0;
  }

  private String inside(String text) {
    Matcher emphasis = EMPHASIS.matcher(text);
    if (emphasis.matches()) {
      String inner = emphasis.group(1);
      return isFile.test(inner) || isPath(inner) ? inner : text;
    }
    if (BRACKETS.matcher(text).matches()) {
      return text.substring(1, text.length() - 1);
    }
    return CLOSED_ONLY.matcher(text).matches() ? text.substring(0, text.length() - 1) : text;
  }
}
