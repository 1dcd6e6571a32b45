package dev.holdfast.failure;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads the symbolic error codes out of an API answer. It scans for the usual keys instead of
 * parsing, because answers arrive as JSON, as Python or JavaScript prints it, embedded in other
 * text, nested in strings and cut short. Codes are folded to lower-case letters and digits, so that
 * {@code rate_limit_error}, {@code rateLimitError} and {@code RateLimitError} are one code.
 */
final class StructuredBody {
  private static final int MAX_CODES = 200;
  private static final String VALUE = "([A-Za-z][A-Za-z0-9_.\\-]{2,70}|\\d{4,5})";

  private static final PlacedPattern FIELD =
      PlacedPattern.of(
          "(?i)(?<![\\w.])[\"'`]?(?:(?:error[_-]?)?(?:code|type|status|reason|name)|error[_-]?class|__type|error"
              + "|x-amzn-errortype|(?:event|quota)[_-]?id|quotaMetric|subtype)[\"'`]?"
              + "\\s{0,4}[:=]\\s{0,4}[\"'`]?(?:com\\.amazon[\\w.]{0,40}#)?"
              + VALUE
              + "(?=[\"'`,;}\\])\\s]|$)(?! [a-z])",
          "\"'`ectsrnxqiECTSRNXQI_",
          StructuredBody::mayStartField);

  /** The places where AWS clients, gRPC clients and Google clients say their code in prose. */
  private static final PlacedPattern PROSE =
      PlacedPattern.of(
          "(?m)(?:An error occurred \\(|\\bcode = |StatusRuntimeException: |StatusCode\\.|,"
              + " (?=\\w{3,60}Exception: )|\\b[45]\\d\\d (?=[A-Z]{2,}[A-Z_]+\\b)|\\bError:"
              + " \\(|\\[(?=[a-z]{3,30}_[a-z_]{3,50}\\])|^(?:Error: )?(?=[a-z]+_[a-z_]+: )"
              + "|^(?!\\w+(?:Error|Exception): )(?=(?:[A-Z][a-z0-9]{1,20}){2,7}: ))"
              + VALUE,
          StructuredBody::mayStartProse);

  private static final PlacedPattern QUALIFIED =
      PlacedPattern.of(
          "\\b(?:errorfactory|model|exceptions)\\.([A-Z][A-Za-z]{3,60}Exception)\\b",
          "em",
          PlacedPattern::isFree);

  /** The length of the longest key with its quotes and blanks. */
  private static final int MAX_KEY = 40;

  /** The expressions, in the order in which their codes count. */
  static final List<PlacedPattern> PATTERNS = List.of(FIELD, PROSE, QUALIFIED);

  private StructuredBody() {}

  static Set<String> codes(String text) {
    Set<String> codes = new LinkedHashSet<>();
    for (PlacedPattern pattern : PATTERNS) {
      PlacedPattern.Search search = pattern.in(text);
      while (codes.size() < MAX_CODES && search.find()) {
        codes.add(fold(search.match().group(1)));
      }
    }
    String name = ErrorName.in(text);
    if (name != null) {
      codes.add(fold(name));
    }
    return codes;
  }

  /** Returns whether a key or its quote may stand here: a colon or an equals sign follows soon. */
  private static boolean mayStartField(String text, int at) {
    if (at > 0 && (PlacedPattern.isWord(text.charAt(at - 1)) || text.charAt(at - 1) == '.')) {
      return false;
    }
    for (int i = at + 1; i < Math.min(text.length(), at + MAX_KEY); i++) {
      char next = text.charAt(i);
      if (next == ':' || next == '=') {
        return true;
      }
      if (!PlacedPattern.isWord(next) && "-\"'` \t\n\u000b\f".indexOf(next) < 0) {
        return false;
      }
    }
    return false;
  }

  private static boolean mayStartProse(String text, int at) {
    return PlacedPattern.isLineStart(text, at)
        || switch (text.charAt(at)) {
          case 'A' -> text.startsWith("An error", at);
          case 'c' -> text.startsWith("code = ", at);
          case 'S' -> text.startsWith("Status", at);
          case ',' -> text.startsWith(" ", at + 1);
          case '4', '5' -> text.startsWith(" ", at + 3) && PlacedPattern.isFree(text, at);
          case 'E' -> text.startsWith("Error: (", at);
          case '[' -> true;
          default -> false;
        };
  }

  /** Folds a code of a rule, but not its asterisks. */
  static String foldShape(String code) {
    return Arrays.stream(code.split("\\*", -1))
        .map(StructuredBody::fold)
        .collect(Collectors.joining("*"));
  }

  static String fold(String code) {
    StringBuilder out = new StringBuilder(code.length());
    String lower = code.toLowerCase(Locale.ROOT);
    for (int i = 0; i < lower.length(); i++) {
      if (Character.isLetterOrDigit(lower.charAt(i))) {
        out.append(lower.charAt(i));
      }
    }
    return out.toString();
  }
}
