package dev.holdfast.failure;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long a server asks to wait, in whatever form its answer says it: the {@code retry-after} and
 * {@code x-ratelimit-*} headers, {@code anthropic-ratelimit-*}, fields of the body, or prose (A24,
 * B17).
 */
public final class RetryHints {
  private static final int MAX_BODY = 16_000;
  private static final Pattern REMAINING =
      Pattern.compile("anthropic-ratelimit-([a-z-]{1,40})-remaining");
  private static final Pattern REGAIN =
      Pattern.compile("regain access on (\\d{4}-\\d{2}-\\d{2}) at (\\d{2}:\\d{2}) UTC");

  private RetryHints() {}

  /**
   * @param headers of the answer; names in any case
   * @param now the time by which absolute times count where the answer has no Date header
   */
  public static Optional<Duration> find(
      Map<String, List<String>> headers, String body, Instant now) {
    Map<String, String> lower = lowerCase(headers);
    lower.computeIfAbsent(
        "date", _ -> DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atOffset(ZoneOffset.UTC)));
    String text = body.length() > MAX_BODY ? body.substring(0, MAX_BODY) : body;
    Instant serversNow = date(lower.getOrDefault("date", ""), now);
    return RetryHintParser.find(headerLines(lower) + "\n" + text)
        .or(() -> longestUsedUp(lower, serversNow))
        .or(() -> regainedAccess(text, serversNow));
  }

  private static Instant date(String header, Instant otherwise) {
    try {
      return DateTimeFormatter.RFC_1123_DATE_TIME.parse(header, Instant::from);
    } catch (DateTimeException _) {
      return otherwise;
    }
  }

  private static Map<String, String> lowerCase(Map<String, List<String>> headers) {
    Map<String, String> lower = new TreeMap<>();
    headers.forEach(
        (name, values) -> {
          if (!values.isEmpty()) {
            lower.put(name.toLowerCase(Locale.ROOT), values.getLast());
          }
        });
    return lower;
  }

  /** Only the headers that may hold a hint, so that no other one is taken for one. */
  private static String headerLines(Map<String, String> headers) {
    StringBuilder lines = new StringBuilder();
    headers.forEach(
        (name, value) -> {
          if (name.equals("date") || name.contains("retry") || name.contains("ratelimit")) {
            lines.append(name).append(": ").append(value).append('\n');
          }
        });
    return lines.toString();
  }

  /** The latest reset of the limits of which nothing remains; one slightly past means now. */
  private static Optional<Duration> longestUsedUp(Map<String, String> headers, Instant now) {
    Optional<Duration> longest = Optional.empty();
    for (Map.Entry<String, String> header : headers.entrySet()) {
      Matcher remaining = REMAINING.matcher(header.getKey());
      if (!remaining.matches() || !header.getValue().strip().equals("0")) {
        continue;
      }
      String reset = headers.get("anthropic-ratelimit-" + remaining.group(1) + "-reset");
      Optional<Duration> wait = reset == null ? Optional.empty() : until(reset.strip(), now);
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

  /** Anthropic's words for a spend limit that the customer has set. */
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
