package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
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
