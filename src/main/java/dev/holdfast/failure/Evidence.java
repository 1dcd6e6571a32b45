package dev.holdfast.failure;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The facts of one error report, read once for all rules. Confined to one classification. */
final class Evidence {
  private static final Pattern EXCEPTION_NAME =
      Pattern.compile("\\b[A-Z]\\w{3,80}(?:Error|Exception|Failure)\\b");
  private static final Pattern WORD_START = Pattern.compile("(?<=[a-z])(?=[A-Z])");

  private final ErrorReport report;
  private final String window;
  private final BitSet literals;
  private final String rootCause;
  private final List<List<String>> types;
  private final boolean shortcuts;
  private final LiteralIndex index;
  private @Nullable String words;
  private BitSet literalsOfWords = new BitSet();
  private @Nullable Set<String> bodyCodes;
  private @Nullable OptionalInt status;
  private @Nullable OptionalInt exitCode;

  /**
   * @param shortcuts whether rules that cannot match are left out; the answers are the same
   */
  Evidence(ErrorReport report, LiteralIndex index, boolean shortcuts) {
    this.report = report;
    this.index = index;
    this.shortcuts = shortcuts;
    window = TextWindow.of(report.text());
    literals = index.in(LiteralIndex.fold(window));
    rootCause = RootCause.of(window);
    types = CauseChain.typeNames(report.cause());
  }

  String window() {
    return window;
  }

  String rootCause() {
    return rootCause;
  }

  /**
   * Returns the same report with the words of a name as its text; empty if its text is not only a
   * name.
   */
  Optional<Evidence> asWords() {
    String name = ErrorName.in(window);
    return name == null
        ? Optional.empty()
        : Optional.of(new Evidence(report.withText(ErrorName.words(name)), index, shortcuts));
  }

  /** Returns the words that ask to come again at a later time; empty if there are none. */
  Optional<String> askToWait() {
    return report.retryAfter() != null
        ? Optional.of("retry after " + report.retryAfter())
        : RetryHintParser.hint(window).map(RetryHintParser.Hint::evidence);
  }

  OptionalInt status() {
    if (status == null) {
      status =
          report.httpStatus() == null
              ? HttpStatusFinder.find(window)
              : OptionalInt.of(report.httpStatus());
    }
    return status;
  }

  private OptionalInt exitCode() {
    if (exitCode == null) {
      exitCode =
          report.exitCode() == null
              ? ExitCodeFinder.find(window)
              : OptionalInt.of(report.exitCode());
    }
    return exitCode;
  }

  private Set<String> bodyCodes() {
    if (bodyCodes == null) {
      bodyCodes = StructuredBody.codes(window);
    }
    return bodyCodes;
  }

  /** The part of this evidence that the rule matches, or null. */
  @Nullable String match(RuleMatcher rule) {
    return switch (rule.rule().stage()) {
      case ROOT -> match(rule, rootCause);
      case GUESS -> guess(rule);
      case TYPE, CODE, EXIT, TOOL, BODY, STATUS, ERRNO, TEXT -> match(rule, window);
    };
  }

  /** Guesses; it reads the names of exception classes as words. */
  private @Nullable String guess(RuleMatcher matcher) {
    if (words == null) {
      words =
          EXCEPTION_NAME
              .matcher(window)
              .replaceAll(m -> WORD_START.matcher(m.group()).replaceAll(" "));
      literalsOfWords = index.in(LiteralIndex.fold(words));
    }
    String found = matcher.find(words, literalsOfWords, shortcuts);
    return found == null || matcher.excludes(words, literalsOfWords, shortcuts) ? null : found;
  }

  /** Does the same for a part of the text. */
  @Nullable String match(RuleMatcher matcher, String text) {
    String found = byCode(matcher);
    if (found == null) {
      found = matcher.find(text, literals, shortcuts);
    }
    return found == null || matcher.excludes(text, literals, shortcuts) ? null : found;
  }

  private @Nullable String byCode(RuleMatcher matcher) {
    Rule rule = matcher.rule();
    if (rule.codes().isEmpty()) {
      return null;
    }
    return switch (rule.stage()) {
      case TYPE -> byType(rule.codes());
      case BODY -> byBodyCode(rule.codes(), matcher.shapes());
      case STATUS -> byNumber(rule.codes(), status());
      case EXIT -> byNumber(rule.codes(), exitCode());
      case CODE, ROOT, TOOL, ERRNO, TEXT, GUESS -> null;
    };
  }

  private @Nullable String byType(List<String> names) {
    for (List<String> lineage : types) {
      for (String name : lineage) {
        if (names.contains(name)) {
          return name;
        }
      }
    }
    return null;
  }

  private @Nullable String byBodyCode(List<String> codes, List<String> shapes) {
    if (bodyCodes().isEmpty()) {
      return null;
    }
    for (int i = 0; i < codes.size(); i++) {
      String shape = shapes.get(i);
      if (shape.indexOf('*') >= 0) {
        String matched = byShape(shape);
        if (matched != null) {
          return matched;
        }
      } else if (bodyCodes().contains(shape)) {
        return codes.get(i);
      }
    }
    return null;
  }

  /**
   * Finds a code that matches one with asterisks, such as "*timeout*", by its start, end and parts
   * in order.
   */
  private @Nullable String byShape(String shape) {
    for (String code : bodyCodes()) {
      if (hasShape(code, shape)) {
        return code;
      }
    }
    return null;
  }

  private static boolean hasShape(String code, String shape) {
    int from = 0;
    int start = 0;
    for (int star = shape.indexOf('*'); star >= 0; star = shape.indexOf('*', start)) {
      String part = shape.substring(start, star);
      int at = start == 0 ? (code.startsWith(part) ? 0 : -1) : code.indexOf(part, from);
      if (at < 0) {
        return false;
      }
      from = at + part.length();
      start = star + 1;
    }
    String end = shape.substring(start);
    return code.length() - end.length() >= from && code.endsWith(end);
  }

  private static @Nullable String byNumber(List<String> ranges, OptionalInt number) {
    if (number.isEmpty()) {
      return null;
    }
    for (String range : ranges) {
      int dash = range.indexOf('-', 1);
      long low = Long.parseLong(dash < 0 ? range : range.substring(0, dash));
      long high = dash < 0 ? low : Long.parseLong(range.substring(dash + 1));
      if (low <= number.getAsInt() && number.getAsInt() <= high) {
        return String.valueOf(number.getAsInt());
      }
    }
    return null;
  }
}
