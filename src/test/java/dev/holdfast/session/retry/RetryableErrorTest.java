package dev.holdfast.session.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.session.Replies;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** D-1: which errors are retried. */
class RetryableErrorTest {
  private static boolean retryable(String message) {
    return RetryableError.isRetryable("error", message, false);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Overloaded",
        "rate limit exceeded",
        "rate_limit_error",
        "RateLimit",
        "usage limit reached",
        "usage-limit",
        "Too Many Requests",
        "HTTP 429",
        "500",
        "got 502 from upstream",
        "503",
        "error504",
        "Service Unavailable",
        "service_unavailable",
        "the server error was",
        "Internal error",
        "Connection error.",
        "connection_error",
        "TypeError: fetch failed",
        "quota, see retry delay"
      })
  @DisplayName("D5: the pattern set, whatever the case")
  void positive(String message) {
    assertThat(retryable(message)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "400 Bad Request",
        "401 Unauthorized",
        "403 Forbidden",
        "404 Not Found",
        "501 Not Implemented",
        "terminated",
        "validation error: name is required",
        ""
      })
  @DisplayName("D6: what is not in the set")
  void negative(String message) {
    assertThat(retryable(message)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "error,HTTP 503,true",
    "error,,false",
    "aborted,HTTP 503,false",
    "stop,HTTP 503,false",
    "error,prompt is too long (503),false",
    "error,HTTP 418,false"
  })
  @DisplayName("D4, D6: error, a message, no overflow and a match, all of them")
  void truthTable(String stopReason, String message, boolean expected) {
    assertThat(RetryableError.isRetryable(stopReason, message, false)).isEqualTo(expected);
  }

  @Test
  @DisplayName("D7: digits count anywhere; as whole numbers by choice")
  void digits() {
    assertThat(retryable("limit of 5000 rows")).isTrue();
    assertThat(RetryableError.isRetryable("error", "limit of 5000 rows", true)).isFalse();
    assertThat(RetryableError.isRetryable("error", "HTTP 500: oops", true)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "RATE_LIMIT,true",
    "NETWORK_ERROR,true",
    "TIMEOUT,false",
    "MODEL_ERROR,false",
    "INVALID_RESPONSE,false"
  })
  @DisplayName("D5, D7: what the adapter knows by type is said in the words of the set")
  void wordsOfKinds(FailureKind kind, boolean expected) {
    CallResult.Failed failure = Replies.failed(kind, true, "no");
    assertThat(retryable(ErrorMessage.of(failure))).isEqualTo(expected);
  }
}
