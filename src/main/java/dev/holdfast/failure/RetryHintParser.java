package dev.holdfast.failure;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds how long the server asks to wait (A24): headers first, then structured fields, then prose.
 * It never takes the client's own backoff, an elapsed time or a configured timeout. An absolute
 * time counts only if the text also has the server's Date header, because no clock is asked here.
 */
public final class RetryHintParser {
  private static final String NUMBER = "(\\d{1,12}(?:\\.\\d{1,12})?)";
  private static final String IS = "[\"'`]?\\s{0,3}[:=]\\s{0,3}[\"'`\\[]{0,2}";
  private static final String HTTP_DATE =
      "([A-Z][a-z]{2}, \\d{1,2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT)";
  private static final String SPAN = "(" + SpokenDuration.SPAN + ")";
  private static final String ABOUT = "(?:about |approximately |around |another |at least |~ ?)?";

  private static final GuardedPattern MILLIS =
      GuardedPattern.of(
          "(?i)(?<!\\w)[\"'`]?retry[-_ ]?after[-_ ]?(?:ms|millis)" + IS + NUMBER, "after");
  private static final GuardedPattern HEADER_SPAN =
      GuardedPattern.of("(?i)(?<!\\w)[\"'`]?retry[-_ ]?after(?:[-_]?header)?" + IS + SPAN, "after");
  private static final GuardedPattern SECONDS =
      GuardedPattern.of(
          "(?i)(?<!\\w)[\"'`]?(?:retry[-_ ]?after(?:[-_]?sec(?:ond)?s)?|resets?_in_seconds"
              + "|(?:x-)?ratelimit-reset-after)"
              + IS
              + NUMBER
              + "(?![\\w.,]*\\d)(?![ \\t]?[a-z](?![\\w-]{0,60}[\"']?[:=]))",
          "after",
          "reset");
  private static final GuardedPattern SECONDS_AT_END =
      GuardedPattern.of(
          "(?im)\\bretry after " + NUMBER + "(?=[.)\\]}\"'`]{0,3}\\s{0,3}$)", "after");
  private static final GuardedPattern HEADER_DATE =
      GuardedPattern.of("(?i:(?<!\\w)[\"'`]?retry-after" + IS + ")" + HTTP_DATE, "after");
  private static final GuardedPattern RETRY_INFO =
      GuardedPattern.of(
          "(?i)(?<!\\w)[\"'`]?retry_?delay" + IS + "(?:\\{\\s{0,5}[\"']?seconds" + IS + ")?" + SPAN,
          "delay");
  private static final GuardedPattern RETRY_INFO_SECONDS =
      GuardedPattern.of(
          "(?i)(?<!\\w)[\"'`]?retry_?delay[\"'`]?\\s{0,3}[:=]?\\s{0,3}\\{\\s{0,5}[\"']?seconds"
              + IS
              + NUMBER,
          "delay");

  private static final PlacedPattern.Places PROSE_STARTS =
      PlacedPattern.pairs("tr", "re", "wa", "av", "ri", "te");

  static final PlacedPattern PROSE =
      PlacedPattern.of(
          "(?i)\\b(?:(?=try|retry)(?<!will |'ll |next |auto[ -]|automatically |going to |and"
              + " )(?:try|retry)(?: (?:your|the|this) request)?(?: again)? (?:in|after):? |(?<!will"
              + " |'ll )wait (?:for )?|(?<!not )(?:reset|renew)s?(?: again)? ?(?:in|after):?"
              + " |available(?: again)? (?:in|after) |(?:riprova(?:re)?|reintent[ae]|tente"
              + " (?:novamente|de novo)) (?:en|tra|fra|em|in|dentro de) )"
              + ABOUT
              + SPAN,
          "trwaTRWA",
          (text, at) -> PlacedPattern.isFree(text, at) && PROSE_STARTS.mayStart(text, at));

  /**
   * The same prose in languages that put the span first, or whose letters are no word characters.
   */
  private static final GuardedPattern FOREIGN_PROSE =
      GuardedPattern.of(
          "(?i)"
              + SPAN
              + " ?(?:之?后(?:再次?|重新?)?(?:试|重试|尝试|请求)|後(?:に再|再試|に再試行)|후(?:에)? ?다시)"
              + "|\\b(?:in|nach) "
              + SPAN
              + " ?(?:erneut|wieder|noch ?einmal)|(?:réessaye[zr]|int[eé]ntelo(?: de"
              + " nuevo)?|int[eé]ntalo(?: de nuevo)?) (?:dans|après|en) "
              + SPAN
              + "|(?:[Пп]овторите|[Пп]опробуйте)\\D{0,20} через "
              + SPAN,
          "后",
          "後",
          "후",
          "erneut",
          "wieder",
          "noch",
          "essay",
          "ntentelo",
          "nténtelo",
          "ntentalo",
          "nténtalo",
          "овторите",
          "опробуйте");

  private static final GuardedPattern USED_UP =
      GuardedPattern.of(
          "(?i)ratelimit-remaining(-requests|-tokens)?" + IS + "0(?![\\d.])", "remaining");

  /** The expressions that are not always tried. */
  static final List<GuardedPattern> GUARDED =
      List.of(
          MILLIS,
          HEADER_SPAN,
          SECONDS,
          SECONDS_AT_END,
          HEADER_DATE,
          RETRY_INFO,
          RETRY_INFO_SECONDS,
          FOREIGN_PROSE,
          USED_UP);

  /**
   * A wait that the server asks for.
   *
   * @param evidence the words of the text that say so
   */
  record Hint(Duration time, String evidence) {}

  private final String text;
  private final String folded;

  private RetryHintParser(String text) {
    this.text = text;
    this.folded = LiteralIndex.fold(text);
  }

  /** Returns the wait that the text asks for; empty if it asks for none. */
  public static Optional<Duration> find(String text) {
    return hint(text).map(Hint::time);
  }

  /** Returns the same with the words that say so. */
  static Optional<Hint> hint(String text) {
    return new RetryHintParser(text).find();
  }

  private Optional<Hint> find() {
    return number(MILLIS, 1)
        .or(() -> first(HEADER_SPAN, SpokenDuration::parse))
        .or(() -> number(SECONDS, 1_000))
        .or(() -> number(SECONDS_AT_END, 1_000))
        .or(() -> first(HEADER_DATE, this::untilHttpDate))
        .or(() -> number(RETRY_INFO_SECONDS, 1_000))
        .or(() -> first(RETRY_INFO, SpokenDuration::parse))
        .or(this::lastInProse)
        .or(this::lastInForeignProse)
        .or(this::resetOfUsedUpLimit);
  }

  private Optional<Hint> number(GuardedPattern pattern, long unitMillis) {
    return first(pattern, digits -> SpokenDuration.ofNumber(digits, unitMillis));
  }

  private Optional<Hint> first(
      GuardedPattern pattern, Function<String, Optional<Duration>> reader) {
    return first(pattern.matcher(text, folded), reader);
  }

  private static Optional<Hint> first(
      Matcher matcher, Function<String, Optional<Duration>> reader) {
    while (matcher.find()) {
      Optional<Duration> wait = reader.apply(matcher.group(1));
      if (wait.isPresent()) {
        return Optional.of(new Hint(wait.get(), matcher.group().strip()));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the last wait in prose: a log repeats the message at every try, and the last one is
   * current.
   */
  private static Optional<Hint> last(Matcher matcher, BooleanSupplier next) {
    Optional<Hint> hint = Optional.empty();
    while (next.getAsBoolean()) {
      String evidence = matcher.group().strip();
      for (int group = 1; group <= matcher.groupCount(); group++) {
        if (matcher.group(group) != null) {
          hint = SpokenDuration.parse(matcher.group(group)).map(wait -> new Hint(wait, evidence));
        }
      }
    }
    return hint;
  }

  private Optional<Hint> lastInProse() {
    PlacedPattern.Search search = PROSE.in(text);
    return last(search.match(), search::find);
  }

  private Optional<Hint> lastInForeignProse() {
    Matcher matcher = FOREIGN_PROSE.matcher(text, folded);
    return last(matcher, matcher::find);
  }

  private Optional<Duration> untilHttpDate(String date) {
    return httpDate(date).flatMap(this::until);
  }

  private static Optional<Instant> httpDate(String date) {
    try {
      return Optional.of(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  private Optional<Duration> until(Instant moment) {
    Matcher matcher =
        Pattern.compile("(?i:(?<![\\w-])[\"'`]?date" + IS + ")" + HTTP_DATE).matcher(text);
    if (!matcher.find()) {
      return Optional.empty();
    }
    return httpDate(matcher.group(1))
        .map(now -> Duration.between(now, moment))
        .map(wait -> wait.isNegative() ? Duration.ZERO : wait)
        .filter(SpokenDuration::isBounded);
  }

  /** Returns the reset of the limit of which nothing remains, if there is no other hint. */
  private Optional<Hint> resetOfUsedUpLimit() {
    Matcher usedUp = USED_UP.matcher(text, folded);
    Optional<Hint> longest = Optional.empty();
    while (usedUp.find()) {
      String dimension = usedUp.group(1) == null ? "" : usedUp.group(1);
      Optional<Hint> reset = reset(dimension);
      if (longest.isEmpty()
          || (reset.isPresent() && reset.get().time().compareTo(longest.get().time()) > 0)) {
        longest = reset;
      }
    }
    return longest;
  }

  private Optional<Hint> reset(String dimension) {
    String name = "(?i)ratelimit-reset" + dimension + IS;
    Optional<Hint> span = first(Pattern.compile(name + SPAN).matcher(text), SpokenDuration::parse);
    return span.or(
        () -> first(Pattern.compile(name + "(\\d{1,13})").matcher(text), this::resetNumber));
  }

  /** Reads a number: small ones are seconds, large ones the epoch in seconds or milliseconds. */
  private Optional<Duration> resetNumber(String digits) {
    long number = Long.parseLong(digits);
    if (number < 1_000_000_000L) {
      return Optional.of(Duration.ofSeconds(number)).filter(SpokenDuration::isBounded);
    }
    return until(
        number < 100_000_000_000L ? Instant.ofEpochSecond(number) : Instant.ofEpochMilli(number));
  }
}
