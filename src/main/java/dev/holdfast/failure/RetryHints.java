package dev.holdfast.failure;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds how long a server asks to wait, in any form of its answer: the {@code retry-after} and
 * {@code x-ratelimit-*} headers, {@code anthropic-ratelimit-*}, fields of the body, or prose (A24,
 * B17).
 */
public final class RetryHints {
  private static final int MAX_BODY = 16_000;

  /**
   * The longest value of a header. No header with a hint is longer; a hostile one costs no more.
   */
  private static final int MAX_VALUE = 200;

  private static final int MAX_VALUES = 100;
  private static final Pattern REMAINING =
      Pattern.compile("anthropic-ratelimit-([a-z-]{1,40})-remaining");
  private static final Pattern REGAIN =
      Pattern.compile("regain access on (\\d{4}-\\d{2}-\\d{2}) at (\\d{2}:\\d{2}) UTC");

  private RetryHints() {}

  /**
   * @param headers the headers of the answer; names in any case
   * @param now the time from which absolute times count if the answer has no Date header
   */
  public static Optional<Duration> find(
      Map<String, List<String>> headers, String body, Instant now) {
    Map<String, List<String>> lower = lowerCase(headers);
    lower.computeIfAbsent(
        "date",
        _ -> List.of(DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atOffset(ZoneOffset.UTC))));
    String text = body.length() > MAX_BODY ? body.substring(0, MAX_BODY) : body;
    Instant serversNow = date(lower.get("date").getLast(), now);
    return RetryHintParser.find(headerLines(lower) + "\n" + text)
        .or(() -> longestUsedUp(lower, serversNow))
        .or(() -> regainedAccess(text, serversNow))
        .filter(SpokenDuration::isBounded);
  }

  private static Instant date(String header, Instant otherwise) {
    try {
      return DateTimeFormatter.RFC_1123_DATE_TIME.parse(header, Instant::from);
    } catch (DateTimeException _) {
      return otherwise;
    }
  }

  /**
   * Returns all values of the headers that may hold a hint: any value of a repeated header may be
   * garbage.
   */
  private static Map<String, List<String>> lowerCase(Map<String, List<String>> headers) {
    Map<String, List<String>> lower = new TreeMap<>();
    headers.forEach(
        (name, values) -> {
          String key = name.toLowerCase(Locale.ROOT);
          if (key.equals("date") || key.contains("retry") || key.contains("ratelimit")) {
            List<String> kept = lower.computeIfAbsent(key, _ -> new ArrayList<>());
            values.stream().limit(MAX_VALUES).map(RetryHints::oneLine).forEach(kept::add);
          }
        });
    lower.values().removeIf(List::isEmpty);
    return lower;
  }

  /** Joins a folded header into one line. */
  private static String oneLine(String value) {
    String cut = value.length() > MAX_VALUE ? value.substring(0, MAX_VALUE) : value;
    return cut.replaceAll("[\\r\\n]+[ \\t]*", " ").strip();
  }

  private static String headerLines(Map<String, List<String>> headers) {
    StringBuilder lines = new StringBuilder();
    headers.forEach(
        (name, values) ->
            values.stream()
                .limit(MAX_VALUES)
                .forEach(value -> lines.append(name).append(": ").append(value).append('\n')));
    return lines.toString();
  }

  /**
   * Returns the latest reset of the limits of which nothing remains; one slightly past means now.
   */
  private static Optional<Duration> longestUsedUp(Map<String, List<String>> headers, Instant now) {
    Optional<Duration> longest = Optional.empty();
    for (Map.Entry<String, List<String>> header : headers.entrySet()) {
      Matcher remaining = REMAINING.matcher(header.getKey());
      if (!remaining.matches() || !header.getValue().getLast().equals("0")) {
        continue;
      }
      List<String> reset =
          headers.getOrDefault("anthropic-ratelimit-" + remaining.group(1) + "-reset", List.of(""));
      Optional<Duration> wait = until(reset.getLast(), now);
      if (wait.isPresent() && (longest.isEmpty() || wait.get().compareTo(longest.get()) > 0)) {
        longest = wait;
      }
    }
    return longest;
  }

  private static Optional<Duration> until(String moment, Instant now) {
    try {
      return Optional.of(notNegative(Duration.between(now, OffsetDateTime.parse(moment))));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  /** Reads Anthropic's words for a spend limit that the customer has set. */
  private static Optional<Duration> regainedAccess(String text, Instant now) {
    Matcher matcher = REGAIN.matcher(text);
    if (!matcher.find()) {
      return Optional.empty();
    }
    try {
      LocalDateTime moment = LocalDateTime.parse(matcher.group(1) + "T" + matcher.group(2));
      return Optional.of(notNegative(Duration.between(now, moment.toInstant(ZoneOffset.UTC))));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  private static Duration notNegative(Duration wait) {
    return wait.isNegative() ? Duration.ZERO : wait;
  }
}
