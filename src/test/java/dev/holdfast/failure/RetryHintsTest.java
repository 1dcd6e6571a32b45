package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryHintsTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  private static Optional<Duration> find(Map<String, String> headers, String body) {
    Map<String, List<String>> lists = new java.util.HashMap<>();
    headers.forEach((name, value) -> lists.put(name, List.of(value)));
    return RetryHints.find(lists, body, NOW);
  }

  @Test
  @DisplayName("B17: a date on one of the first nine days of a month counts against our clock, too")
  void firstDaysOfMonth() {
    Instant now = Instant.parse("2026-12-01T12:00:00Z");

    for (String day : List.of("01", "1")) {
      assertThat(
              RetryHints.find(
                  Map.of("Retry-After", List.of("Tue, " + day + " Dec 2026 12:00:42 GMT")),
                  "",
                  now))
          .as(day)
          .contains(Duration.ofSeconds(42));
    }
  }

  @Test
  @DisplayName("B17: a date counts against the server's date, without one against our clock")
  void dates() {
    String in20 = "Sat, 21 Nov 2026 12:00:20 GMT";
    assertThat(find(Map.of("Retry-After", in20), "")).contains(Duration.ofSeconds(20));
    assertThat(find(Map.of("Retry-After", in20, "Date", "Sat, 21 Nov 2026 12:00:15 GMT"), ""))
        .contains(Duration.ofSeconds(5));
  }

  @Test
  @DisplayName("B17: Anthropic's resets count where nothing remains, the latest one of them")
  void anthropic() {
    String prefix = "anthropic-ratelimit-";
    Map<String, String> headers =
        Map.of(
            prefix + "requests-remaining", "9",
            prefix + "requests-reset", "2026-11-21T13:00:00Z",
            prefix + "input-tokens-remaining", "0",
            prefix + "input-tokens-reset", "2026-11-21T12:00:42Z",
            prefix + "output-tokens-remaining", "0",
            prefix + "output-tokens-reset", "2026-11-21T12:00:07+00:00");
    assertThat(find(headers, "")).contains(Duration.ofSeconds(42));
    assertThat(
            find(
                Map.of(
                    prefix + "tokens-remaining", "0",
                    prefix + "tokens-reset", "2026-11-21T11:59:59Z"),
                ""))
        .as("slightly past")
        .contains(Duration.ZERO);
  }

  @Test
  @DisplayName("B17: the words of a spend limit name the day on which it ends")
  void spendLimit() {
    assertThat(find(Map.of(), "You will regain access on 2026-12-01 at 00:00 UTC."))
        .contains(Duration.ofHours(9 * 24 + 12));
  }

  @Test
  @DisplayName(
      "A24, issue 19: a repeated, folded or huge header neither hides a hint nor makes one")
  void hostileHeaders() {
    assertThat(RetryHints.find(Map.of("Retry-After", List.of("1", "soon")), "", NOW))
        .as("repeated, the last one garbage")
        .contains(Duration.ofSeconds(1));
    assertThat(
            RetryHints.find(
                Map.of("Retry-After", List.of("2"), "retry-after", List.of("never")), "", NOW))
        .as("in two cases")
        .contains(Duration.ofSeconds(2));
    assertThat(RetryHints.find(Map.of("retry-after", List.of("\r\n 3")), "", NOW))
        .as("folded")
        .contains(Duration.ofSeconds(3));
    assertThat(RetryHints.find(Map.of("retry-after", List.of("-3")), "", NOW)).isEmpty();
    assertThat(RetryHints.find(Map.of("retry-after", List.of()), "", NOW)).isEmpty();
    assertThat(find(Map.of("Retry-After", "Sat, 21 Nov 2026 11:00:00 GMT"), ""))
        .as("a date in the past")
        .contains(Duration.ZERO);
    assertThat(
            find(
                Map.of(
                    "Retry-After", "Sat, 21 Nov 2026 13:00:09 GMT",
                    "Date", "Sat, 21 Nov 2026 13:00:00 GMT"),
                ""))
        .as("an hour of clock skew")
        .contains(Duration.ofSeconds(9));
  }

  @Test
  @Timeout(20)
  @DisplayName("A24, issue 19: ten megabytes of headers are read in bounded time")
  void tenMegabytes() {
    Map<String, List<String>> headers = new java.util.HashMap<>();
    headers.put("x-ratelimit-huge", List.of("retry-after: ".repeat(400_000)));
    headers.put("x-ratelimit-many", java.util.Collections.nCopies(500_000, "retry-after: x"));
    headers.put("retry-after", List.of("4"));
    assertThat(RetryHints.find(headers, "", NOW)).contains(Duration.ofSeconds(4));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "regain access on 2026-99-99 at 77:77 UTC", "\u0000", "{{{"})
  @DisplayName("B17: garbage is no hint")
  void garbage(String body) {
    Map<String, String> headers =
        Map.of(
            "anthropic-ratelimit-tokens-remaining", "0",
            "anthropic-ratelimit-tokens-reset", "whenever",
            "Date", "never",
            "Retry-After", "soon");
    assertThat(find(headers, body)).isEmpty();
  }
}
