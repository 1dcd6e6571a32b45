package dev.holdfast.failure;

import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the symbolic error codes out of an API answer. It scans for the usual keys instead of
 * parsing, because answers arrive as JSON, as Python or JavaScript prints of it, embedded in other
 * text, nested in strings and cut short. Codes are folded to lower-case letters and digits, so that
 * {@code rate_limit_error}, {@code rateLimitError} and {@code RateLimitError} are one code.
 */
final class StructuredBody {
  private static final int MAX_CODES = 200;
  private static final String VALUE = "([A-Za-z][A-Za-z0-9_.\\-]{2,70}|\\d{4,5})";

  private static final Pattern FIELD =
      Pattern.compile(
          "(?i)(?<![\\w.])[\"'`]?(?:(?:error[_-]?)?(?:code|type|status|reason|name)|error[_-]?class|__type|error"
              + "|x-amzn-errortype|(?:event|quota)[_-]?id|quotaMetric|subtype)[\"'`]?"
              + "\\s{0,4}[:=]\\s{0,4}[\"'`]?(?:com\\.amazon[\\w.]{0,40}#)?"
              + VALUE
              + "(?=[\"'`,;}\\])\\s]|$)(?! [a-z])");

  /** AWS clients, gRPC clients and Google clients say their code in prose. */
  private static final Pattern PROSE =
      Pattern.compile(
          "(?:An error occurred \\(|\\bcode = |StatusRuntimeException: |StatusCode\\.|,"
              + " (?=\\w{3,60}Exception: )|\\b[45]\\d\\d (?=[A-Z]{2,}[A-Z_]+\\b)|\\bError:"
              + " \\(|\\[(?=[a-z]{3,30}_[a-z_]{3,50}\\])|^(?:Error: )?(?=[a-z]+_[a-z_]+: )"
              + "|^(?!\\w+(?:Error|Exception): )(?=(?:[A-Z][a-z0-9]{1,20}){2,7}: ))"
              + VALUE,
          Pattern.MULTILINE);

  private static final Pattern QUALIFIED =
      Pattern.compile("\\b(?:errorfactory|model|exceptions)\\.([A-Z][A-Za-z]{3,60}Exception)\\b");

  private StructuredBody() {}

  static Set<String> codes(String text) {
    Set<String> codes = new LinkedHashSet<>();
    for (Pattern pattern : new Pattern[] {FIELD, PROSE, QUALIFIED}) {
      Matcher matcher = pattern.matcher(text);
      while (codes.size() < MAX_CODES && matcher.find()) {
        codes.add(fold(matcher.group(1)));
      }
    }
    return codes;
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
