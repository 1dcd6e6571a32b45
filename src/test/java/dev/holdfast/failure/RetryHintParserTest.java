package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryHintParserTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "Retry-After: 120 | 120000",
        "retry-after=2, x-ratelimit-reset-tokens=7.66s | 2000",
        "\"retry_after\": 12.5 | 12500",
        "retry-after-ms: 1500, retry-after: 2 | 1500",
        "retryAfter: '30s' | 30000",
        "'retryDelay': '46s' | 46000",
        "retryDelay: { seconds: 46 } | 46000",
        "\"resets_in_seconds\":13872 | 13872000",
        "Please try again in 4.77s. | 4770",
        "Please try again in 50.597142857s. | 50597",
        "Please try again in 120ms. | 120",
        "try again in 6m0s | 360000",
        "try again in 9m38.016s | 578016",
        "Please retry in 10h17m5.7s | 37025700",
        "or try again in 2 days 17 hours 14 minutes. | 234840000",
        "Please retry after 20 seconds. | 20000",
        "try again in 2 hours and 3 minutes | 7380000",
        "Too Many Requests: retry after 8 | 8000",
        "(Too Many Requests: retry after 8) | 8000",
        "Retry-After=8 status=429 | 8000",
        "'retry-after': '8' 'x-request-id': 'a' | 8000",
        "Please retry your request in 1 hour | 3600000",
        "try again in a minute | 60000",
        "Your quota will reset after 0s. | 0",
        "Limit resets in: 6m0s | 360000",
        "Your monthly quota is used up: it renews in 3 hours | 10800000",
        "Monthly usage limit reached. Renews after 2 days | 172800000",
        "Expected available in 42 seconds. | 42000",
        "Please wait 45 seconds before retrying. | 45000",
        "请在 15 秒后重试 | 15000",
        "30秒後に再試行してください | 30000",
        "Bitte versuchen Sie es in 2 Stunden erneut | 7200000",
        "réessayez dans 30 secondes | 30000",
        "x-ratelimit-remaining-requests: 0 x-ratelimit-reset-requests: 1m30s | 90000",
        "x-ratelimit-remaining: 0 x-ratelimit-reset: 30 | 30000",
      })
  @DisplayName("A24: what the server asks to wait is found in each of its forms")
  void hints(String text, long millis) {
    assertThat(RetryHintParser.find(text)).contains(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "HTTP/1.1 429 / Retry-After: 1 / x-ratelimit-remaining-tokens: 5"
            + " / x-ratelimit-reset-tokens: 6m0s | 1000",
        "HTTP/1.1 429 / Retry-After: 1 / x-ratelimit-remaining-tokens: 0"
            + " / x-ratelimit-reset-tokens: 6m0s | 1000",
        "x-ratelimit-reset-tokens: 6m0s / x-ratelimit-remaining-tokens: 0 / RETRY-AFTER: 1 | 1000",
        "retry-after: 20 / retry-after-ms: 1500 / x-request-id: req_1 | 1500",
        "x-ratelimit-remaining-requests: 0 / x-ratelimit-reset-requests: 2s"
            + " / x-ratelimit-remaining-tokens: 9 / x-ratelimit-reset-tokens: 6m0s | 2000",
        "Retry-After: 7 / anthropic-ratelimit-requests-remaining: 0"
            + " / anthropic-ratelimit-requests-reset: 2099-01-01T00:00:00Z | 7000",
        "retry-after: soon / retry-after: 3 / content-type: text/plain | 3000",
        "retry-after: 31536000 / server: x | 31536000000",
      })
  @DisplayName("A24, issue 19: Retry-After is read beside other headers, in any order and case")
  void besideOtherHeaders(String text, long millis) {
    assertThat(RetryHintParser.find(text.replace(" / ", "\r\n")))
        .contains(Duration.ofMillis(millis));
    assertThat(RetryHintParser.find(text.replace(" / ", "\n"))).contains(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "retry-after: 1e309",
        "retry-after: NaN",
        "retry-after: 99999999999999999999",
        "retry-after: 5 apples",
        "gave up: retry after 5 apples",
        "retry after 5 times",
        "retry-after:",
        "Retrying in 3 seconds… (attempt 4/10)",
        "will retry in 5s",
        "Next retry in 30 seconds",
        "rate limited; sleeping 12 seconds before attempt 3",
        "will sleep for 16 seconds and will retry.",
        "retrying 5/5 in 3.32s",
        "request timed out after 30000ms",
        "read timeout=60",
        "Connect Timeout Error (timeout: 10000ms)",
        "Duration: 4.29s",
        "\"totalRetryDelay\": 787",
        "\"delayMs\":2000",
        "If you created the deployment within the last 5 minutes, please wait a moment",
        "wait a few minutes before you try again",
        "resets Feb 11, 7pm (America/New_York)",
        "Retry-After: Sat, 21 Nov 2026 07:28:00 GMT",
        "x-ratelimit-remaining-requests: 5 x-ratelimit-reset-requests: 6m0s",
        "x-ratelimit-remaining: 0 x-ratelimit-reset: 1746057600",
        "retry-after: -1",
        "try again in 99999999999 days",
        "x-should-retry: true",
      })
  @DisplayName("A24: backoff of the client, elapsed times and absolute times are no hints")
  void noHints(String text) {
    assertThat(RetryHintParser.find(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "Date: Sat, 21 Nov 2026 07:00:00 GMT / Retry-After: Sat, 21 Nov 2026 07:02:00 GMT | 120",
        "Retry-After: Sat, 21 Nov 2026 07:00:00 GMT / Date: Sat, 21 Nov 2026 07:02:00 GMT | 0",
        "date: Sat, 21 Nov 2026 07:00:00 GMT / x-ratelimit-remaining: 0 / x-ratelimit-reset:"
            + " 1795244460 | 60",
      })
  @DisplayName("A24: an absolute time counts against the Date header of the same answer")
  void absoluteTimes(String text, long seconds) {
    assertThat(RetryHintParser.find(text.replace(" / ", "\n")))
        .contains(Duration.ofSeconds(seconds));
  }
}
