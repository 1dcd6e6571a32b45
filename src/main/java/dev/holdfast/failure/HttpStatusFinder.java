package dev.holdfast.failure;

import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the HTTP status that a text states. A number counts only if the words around it say that it
 * is a status (A13): "line 429", "took 5031 ms" and "Job 503" are none. Statuses below 400 never
 * count, because an error inside a 200 answer is still an error.
 */
final class HttpStatusFinder {
  private static final String S = "([45]\\d\\d)(?![\\w%]|[.,]\\d|-\\d)";

  private static final String PHRASE =
      "(?:Bad Request|Unauthori[sz]ed|Payment Required|Forbidden|Not Found|Method Not Allowed|Not"
          + " Acceptable|Proxy Auth|Request Time-?out|Conflict|Gone|Length Required|Payload Too"
          + " Large|Content Too Large|Request Entity|URI Too|Unsupported Media|Unprocessable|Locked"
          + "|Too Early|Too Many Requests|Client Closed|Unavailable For|Internal Server"
          + "|Not Implemented|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out"
          + "|Overloaded|Client Error|Server Error|Insufficient Storage|Web server|status code"
          + "|page not found|[A-Z]{4,}_[A-Z_]+|UNAVAILABLE|INTERNAL|UNAUTHENTICATED"
          + "|Deadline Exceeded|no healthy|upstream|rate limit|quota|insufficient|error:)";

  /**
   * The characters that may follow a status that is known only by its place after "error" or
   * "with".
   */
  private static final String END =
      "(?=\\s{0,3}(?:[{<(\\[\"'`:;)\\]}|.!]|[-–—] |, |[A-Z]|[45]\\d\\d\\b|status"
          + " code|(?:when|while|for|from|during|on|due|in|after|at) |[a-z]{3,12}[.\\[]\\d|$))";

  private static final PlacedPattern.Places CONTEXT_STARTS =
      PlacedPattern.pairs("ht", "er", "ex", "fa", "re", "go", "an", "wi", "st");

  private static final PlacedPattern.Places PLACE_STARTS =
      PlacedPattern.pairs(
          "ba", "un", "fo", "no", "to", "in", "se", "ga", "ap", "re", "ca", "en", "ge", "po", "pu",
          "pa", "de", "co", "er", "fa", "st", "fe");

  private static final PlacedPattern EXPLICIT =
      PlacedPattern.of(
          // status code 429, statusCode: 429, "status":429, code=429, code is 429
          "(?m)(?i:\\b(?:http[ _-]?)?(?:status|response)["
              + " _-]?code[\"'`]?(?:\\s{0,3}(?:is|was|of|returned))?\\s{0,3}[:=]?\\s{0,3}[\"'`]?)"
              + S
              + "|(?i:(?<![a-z])[\"'`]?(?:http_?)?(?:status|error)?["
              + " _]?(?:status|code|error_code)[\"'`]?\\s{0,3}(?:[:=]|\\bis\\b)\\s{0,3}[\"'`(]?(?:HTTP"
              + " )?)"
              + S,
          "\"'`hserc _HSERC",
          HttpStatusFinder::mayStartExplicit);

  private static final PlacedPattern CONTEXT =
      PlacedPattern.of(
          // HTTP 503, HTTP/1.1 503, HTTP Error 503, HTTP status: 503
          "(?m)(?i:\\bHTTPS?(?:/\\d(?:\\.\\d)?)?(?: (?:error|status|code|response))?!?(?:"
              + " code)?\\s{0,3}[:=(]?\\s{0,3})"
              + S
              // 503 Service Unavailable, 529 Overloaded
              + "|(?=[45]\\d\\d)(?<![\\w./:#-]|\\d,)"
              + S
              + "(?=[\\s:,(-]{1,3}(?i:"
              + PHRASE
              + "))"
              // Error: 400 {..., API error (429): ..., RateLimitException: 429: ...
              + "|(?i:(?=error|exception|fault)(?<!Key|Value|Index|Assertion|Type)(?:error|exception|fault|error"
              + " response)(?: \\([^()\\n"
              + "]{1,100}\\))?\\s{0,3}[:(\\[-]?\\s{0,3})"
              + S
              + END
              // An error occurred (404) when calling the HeadObject operation
              + "|(?i:error occurred \\()"
              + S
              + "(?=\\) when calling)"
              // returned error: 403, failed with 502, got status: 429
              + "|(?i:\\b(?:returned|responded|responds|failed|got|received|answered|with|status|response|rejected)(?:"
              + " (?:an?|the|http|status|error|code|of|with)){0,4}:?\\s{1,3}\\(?)"
              + S
              + END,
          "45hefrgawsHEFRGAWS",
          HttpStatusFinder::mayStartContext);

  private static final PlacedPattern PLACE =
      PlacedPattern.of(
          // 429 {"type":..., 429 Rate limit reached, <429> ..., | 504: ..., [429 ...
          "(?m)\\A\\W{0,5}(?:[a-z]{2,20}: )?"
              + S
              + "(?=>?:?\\s{1,3}(?:- )?(?:[{\\[<\"]|[A-Z][a-z]))|(?i:(?:Bad"
              + " Request|Unauthori[sz]ed|Forbidden|Not Found|Too Many Requests|Internal Server"
              + " Error|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out)(?:"
              + " -|:)? ?\\(?)"
              + S
              + "|\\A[^\\w#]{0,5}"
              + S
              + "(?=: [a-z])|<"
              + S
              + "(?=> )|\\bAPI returns? "
              + S
              + "|\\|\\s{0,3}"
              + S
              + "(?=: )"
              + "|^[\\w.$]*(?:[a-z][A-Z]|\\.[A-Z])\\w*: "
              + S
              + "(?=:? {1,3}(?:[A-Z{]|[45]\\d\\d))"
              // GET https://... → 400: ..., OpenRouter API call (1/3): 400 Provider ...
              + "|(?i:\\b(?:API|request|call|endpoint|GET|POST|PUT|PATCH|DELETE)\\b[^\\n"
              + "]{0,160}?(?::|→|->)\\s{1,3})"
              + S
              + "(?=: |:? {1,3}[A-Z][a-z]|:?\\s*$)"
              + "|^npm (?:ERR!|error) "
              + S
              + "|\\b(?:code E|ERR_PNPM_FETCH_|failed-)"
              + S
              + "|\"param\":\\s?\""
              + S
              + "(?=\",\\s?\"code\":\\s?\"bad_response_status_code)|(?:状态码|错误码|狀態碼|ステータスコード|Statuscode|Fehlercode|código"
              + " de estado|code d'état|код состояния|код ошибки)\\s{0,3}[:：=为]?\\s{0,3}"
              + S,
          HttpStatusFinder::mayStartPlace);

  /** The expressions that are tried only at some places. */
  static final List<PlacedPattern> PATTERNS = List.of(EXPLICIT, CONTEXT, PLACE);

  private static final PlacedPattern NUMBER = PlacedPattern.of(S, "45", (text, at) -> true);

  /** More characters than an expression looks back from the number. */
  private static final int BEFORE = 1_000;

  private static final Pattern RETRY_NOTE =
      Pattern.compile("(?i)\\b(?:retrying|will retry|attempt \\d{1,3}[ /])");

  private static final Pattern SQL =
      Pattern.compile("(?i)\\bselect\\b.{1,200}\\b(?:from|where)\\b");

  private HttpStatusFinder() {}

  static OptionalInt find(String text) {
    PlacedPattern.Search numbers = NUMBER.in(text);
    if (!numbers.find()) {
      return OptionalInt.empty();
    }
    int from = Math.max(0, numbers.match().start() - BEFORE);
    int to = numbers.match().end();
    while (numbers.find()) {
      to = numbers.match().end();
    }
    return find(text, from, to);
  }

  /** Finds the status, if all numbers that may be one lie within a part of the text. */
  static OptionalInt find(String text, int from, int to) {
    Found explicit = first(EXPLICIT, text, from, to);
    if (!explicit.inNote()) {
      return OptionalInt.of(explicit.status());
    }
    Found stated = first(CONTEXT, text, from, to);
    stated = explicit.before(stated) ? explicit : stated;
    Found placed = first(PLACE, text, from, to);
    Found found = stated.before(placed) ? stated : placed;
    return found.status() == 0 ? OptionalInt.empty() : OptionalInt.of(found.status());
  }

  /** A status, its place, and whether it is in a client's note on its own retries. */
  private record Found(int status, int at, boolean inNote) {
    static final Found NOTHING = new Found(0, Integer.MAX_VALUE, true);

    boolean before(Found other) {
      return inNote == other.inNote ? at <= other.at : !inNote;
    }
  }

  /**
   * Returns the first status outside a client's notes on its own retries, otherwise the first of
   * all.
   */
  private static Found first(PlacedPattern pattern, String text, int from, int to) {
    PlacedPattern.Search search = pattern.in(text, from, to);
    Found first = Found.NOTHING;
    while (search.find()) {
      Matcher matcher = search.match();
      int group = group(matcher);
      // We take the line around the number, because a match may start with the end of the line
      // before.
      String line = lineAround(text, matcher.start(group(matcher)));
      if (SQL.matcher(line).find()) {
        continue;
      }
      boolean inNote = RETRY_NOTE.matcher(line).find();
      Found found = new Found(Integer.parseInt(matcher.group(group)), matcher.start(group), inNote);
      if (!inNote) {
        return found;
      }
      first = first.before(found) ? first : found;
    }
    return first;
  }

  private static boolean mayStartExplicit(String text, int at) {
    char before = at == 0 ? ' ' : text.charAt(at - 1);
    return !(PlacedPattern.isWord(before) && Character.isLetter(before));
  }

  private static boolean mayStartContext(String text, int at) {
    return CONTEXT_STARTS.mayStart(text, at) || isFourOrFive(text.charAt(at));
  }

  private static boolean mayStartPlace(String text, int at) {
    char c = text.charAt(at);
    return PlacedPattern.isLineStart(text, at)
        || PLACE_STARTS.mayStart(text, at)
        || c == '<'
        || c == '|'
        || c > 127
        || (c == 'c' && text.startsWith("ó", at + 1))
        || (c == '"' && text.startsWith("param", at + 1));
  }

  private static boolean isFourOrFive(char c) {
    return c == '4' || c == '5';
  }

  private static int group(Matcher matcher) {
    for (int i = 1; i <= matcher.groupCount(); i++) {
      if (matcher.group(i) != null) {
        return i;
      }
    }
    throw new IllegalStateException("a status pattern matched without a status");
  }

  private static String lineAround(String text, int at) {
    int start = Math.max(text.lastIndexOf('\n', at) + 1, at - 80);
    int end = text.indexOf('\n', at);
    return text.substring(start, Math.min(end < 0 ? text.length() : end, at + 80));
  }
}
