package dev.holdfast.session.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Target;
import dev.holdfast.session.Replies;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** D-1: which errors are retried. */
class RetryableErrorTest {
  private static final Target TARGET = new Target("one", "m");

  private static boolean retryable(String message) {
    return retryable(message, false);
  }

  private static boolean retryable(String message, boolean wholeNumbers) {
    return RetryableError.isRetryable(
        new TurnError(TARGET, "error", message, null, null), wholeNumbers);
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
  @CsvSource({"HTTP 503,true", "prompt is too long (503),false", "HTTP 418,false"})
  @DisplayName("D4: no overflow and a match, both of them")
  void truthTable(String message, boolean expected) {
    assertThat(retryable(message)).isEqualTo(expected);
  }

  @Test
  @DisplayName("D7: digits count anywhere; as whole numbers by choice")
  void digits() {
    assertThat(retryable("limit of 5000 rows")).isTrue();
    assertThat(retryable("limit of 5000 rows", true)).isFalse();
    assertThat(retryable("HTTP 500: oops", true)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "RATE_LIMIT,true",
    "NETWORK_ERROR,true",
    "TIMEOUT,false",
    "MODEL_ERROR,false",
    "INVALID_RESPONSE,false"
  })
  @DisplayName("D5, D7: what the adapter knows by type needs no words")
  void kinds(FailureKind kind, boolean expected) {
    TurnError error = TurnError.of(TARGET, Replies.failed(kind, true, "no"));
    assertThat(RetryableError.isRetryable(error, false)).isEqualTo(expected);
  }

  @Test
  @DisplayName("E3: an untrusted certificate stays so, whatever the digits in its text")
  void untrustedCertificate() {
    String words = "no answer: gateway:5000: PKIX path building failed";
    assertThat(retryable(Replies.failed(FailureKind.NETWORK_ERROR, false, words))).isFalse();
    TurnError error = TurnError.of(TARGET, Replies.failed(FailureKind.NETWORK_ERROR, false, words));
    assertThat(RetryableError.isRetryable(error, false)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"500,true", "503,true", "501,false", "400,false"})
  @DisplayName("D5: so does a status; an overflow is none even then")
  void statuses(int status, boolean expected) {
    assertThat(retryable(Replies.status(FailureKind.MODEL_ERROR, status, "no")))
        .isEqualTo(expected);
    assertThat(retryable(Replies.status(FailureKind.MODEL_ERROR, status, "prompt is too long")))
        .isFalse();
  }

  private static boolean retryable(CallResult.Failed failure) {
    return RetryableError.isRetryable(TurnError.of(TARGET, failure), true);
  }
}
