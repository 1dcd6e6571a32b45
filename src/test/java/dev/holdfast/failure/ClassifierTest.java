package dev.holdfast.failure;

import static dev.holdfast.failure.Category.API_ERROR;
import static dev.holdfast.failure.Category.CODE_ERROR;
import static dev.holdfast.failure.Category.SYSTEM_ERROR;
import static dev.holdfast.failure.Category.TRANSIENT;
import static dev.holdfast.failure.Category.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClassifierTest {
  private final Classifier classifier = Classifier.standard();

  private Category ofText(String text) {
    return classifier.classify(ErrorReport.ofText(text)).category();
  }

  private Category ofThrowable(Throwable cause) {
    return classifier.classify(ErrorReport.ofThrowable(cause)).category();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rate limit exceeded",
        "HTTP 503",
        "Request timed out",
        "ETIMEDOUT",
        "API timeout"
      })
  @DisplayName("A6: rate limits, 503s and timeouts are transient")
  void transientTexts(String text) {
    assertThat(ofText(text)).isEqualTo(TRANSIENT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "API error: bad request",
        "401 Unauthorized",
        "403 Forbidden",
        "invalid api key",
        "EXIT-AUTH-FAILURE",
        "EXIT-QUOTA-EXCEEDED"
      })
  @DisplayName("A7: API errors and auth failures are api_error")
  void apiTexts(String text) {
    assertThat(ofText(text)).isEqualTo(API_ERROR);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SyntaxError: Unexpected token",
        "TypeError: x is not a function",
        "NullPointerException",
        "sed: -e expression #1, char 3: unterminated `s' command",
        "awk: line 2: missing } near end of file",
        "grep: Unmatched [, [^, [:, [., or [=",
        "grep: Invalid regular expression",
        "stopped: non_improving",
        "stopped: invalid_output"
      })
  @DisplayName("A8: syntax errors and logic issues are code_error")
  void codeTexts(String text) {
    assertThat(ofText(text)).isEqualTo(CODE_ERROR);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ENOENT: no such file",
        "EACCES: permission denied",
        "fatal: not a git repository",
        "Error: Unable to access jarfile /opt/job.jar",
        "lease expired"
      })
  @DisplayName("A9: missing files, permissions and git failures are system_error")
  void systemTexts(String text) {
    assertThat(ofText(text)).isEqualTo(SYSTEM_ERROR);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lorem ipsum dolor", "Something went wrong", "exit code 1", "Error"})
  @DisplayName("A10: everything unclassified is unknown")
  void unknownTexts(String text) {
    Failure failure = classifier.classify(ErrorReport.ofText(text));
    assertThat(failure.category()).isEqualTo(UNKNOWN);
    assertThat(failure.rule()).isEqualTo("none");
    assertThat(failure.evidence()).isEmpty();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "   ", "\n\t"})
  @DisplayName("A11: a null or blank error is unknown")
  void blankTexts(String text) {
    assertThat(ofText(text)).isEqualTo(UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\n429 {\"error\": 1}", "\n\n503: overloaded", "\n 429 Too Many Requests"})
  @DisplayName("A10: a status right after a line break is found, and nothing is thrown")
  void statusAfterLineBreak(String text) {
    assertThat(Classifier.standard().classify(ErrorReport.ofText(text)).httpStatus())
        .isIn(429, 503);
  }

  @ParameterizedTest
  @CsvSource({
    "API error 429 rate limit, TRANSIENT",
    "API timeout, TRANSIENT",
    "API error: command not found, SYSTEM_ERROR",
    "API error: build failed, CODE_ERROR",
    "build failed: command not found, SYSTEM_ERROR",
    "build failed: service unavailable, TRANSIENT",
    "command not found after the connection was lost, TRANSIENT",
  })
  @DisplayName("A12: overlaps go transient > system_error > code_error > api_error")
  void overlaps(String text, Category expected) {
    assertThat(ofText(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "see line 4290",
        "took 5031 ms",
        "listening on port 50300",
        "Job 503 ended",
        "429 items",
        "issue #503",
        "#503: the box is gone",
        "v5.0.3",
        "id=4290503",
        "https://example.com/503",
        "500 of 503 done",
        "HTTP 50312",
        "status code: 42907",
        "error code 5000",
        "status: 503ms",
        "code: 429.7",
        "2026-11-29 10:00:00,503 ERROR: x",
        "elapsed 12,404 Error: x"
      })
  @DisplayName("A13: numbers inside words and other numbers are no status codes")
  void wordBoundaries(String text) {
    Failure failure = classifier.classify(ErrorReport.ofText(text));
    assertThat(failure.category()).isEqualTo(UNKNOWN);
    assertThat(failure.httpStatus()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "HTTPSConnectionPool(host='x', port=443): Max retries exceeded (Caused by SSLError("
            + "SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify"
            + " failed: self signed certificate'))) | SYSTEM_ERROR |",
        "HTTPSConnectionPool(host='x', port=443): Max retries exceeded with url: / | TRANSIENT |",
        "An error occurred (404) when calling the HeadObject operation: Not Found | API_ERROR"
            + " | 404",
        "An error occurred (503) when calling the PutObject operation: x | TRANSIENT | 503",
        "RESOURCE_EXHAUSTED | TRANSIENT |",
        "net::ERR_SOCKET_CONNECTION_TIMEOUT | TRANSIENT |",
        "daily request limit reached | TRANSIENT |",
        "exit code 1 from timeout | UNKNOWN |",
        "exit code 1 from sh: timeout | TRANSIENT |",
      })
  @DisplayName("A6, A7, A9: what clients of services say; a program's name is no error")
  void clients(String text, Category expected, @Nullable Integer status) {
    Failure failure = classifier.classify(ErrorReport.ofText(text));
    assertThat(failure.category()).isEqualTo(expected);
    assertThat(failure.httpStatus()).isEqualTo(status);
  }

  @ParameterizedTest
  @CsvSource({
    "overloaded_error, TRANSIENT",
    "too_many_requests, TRANSIENT",
    "UNAVAILABLE, TRANSIENT",
    "Error: service_unavailable, TRANSIENT",
    "SlowDown, TRANSIENT",
    "model_not_found, API_ERROR",
    "invalid_api_key, API_ERROR",
    "PERMISSION_DENIED, API_ERROR",
    "NoSuchBucket, API_ERROR",
    "syntax_error, CODE_ERROR",
    "test_failed, CODE_ERROR",
    "out_of_memory, SYSTEM_ERROR",
    "file-not-found, SYSTEM_ERROR",
    "PermissionError, SYSTEM_ERROR",
    "TypeError, CODE_ERROR",
    "step_two, UNKNOWN",
    "the steps were invalid_rows and too_many_requests, UNKNOWN",
  })
  @DisplayName("A6-A10: an error that is nothing but its name counts as that")
  void names(String text, Category expected) {
    assertThat(ofText(text)).isEqualTo(expected);
    assertThat(ofText(text + "\n(exit code 1 from sh)")).isEqualTo(expected);
    assertThat(ofText("exit code 1 from sh\n" + text + "\n")).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10:00:00 error: x",
        "10:00 error: x",
        "127.0.0.1:8080: error: x",
        "12:34: error: x"
      })
  @DisplayName("A8, A10: a time of day before an error is no place in a source")
  void timesAreNoPlaces(String text) {
    assertThat(ofText(text)).isEqualTo(UNKNOWN);
  }

  @ParameterizedTest
  @CsvSource({
    "rpc error: code = Unimplemented desc = x, API_ERROR",
    "io.grpc.StatusRuntimeException: UNIMPLEMENTED: x, API_ERROR",
    "io.grpc.StatusRuntimeException: ABORTED: x, TRANSIENT",
    "io.grpc.StatusRuntimeException: INTERNAL: x, TRANSIENT",
    "status = StatusCode.INTERNAL, TRANSIENT",
  })
  @DisplayName("A6, A7: the codes of gRPC count whichever client prints them")
  void grpc(String text, Category expected) {
    assertThat(ofText(text)).isEqualTo(expected);
  }

  @Test
  @DisplayName("A6, A24: who is asked to come again at a time meets something that passes")
  void asksToWait() {
    assertThat(ofText("Flood control. Retry in 8 seconds")).isEqualTo(TRANSIENT);
    assertThat(ofText("the model is away, try again in 20s")).isEqualTo(TRANSIENT);
    assertThat(ofText("retrying in 8 seconds")).isEqualTo(UNKNOWN);
    assertThat(ofText("Your API key is invalid, try again in 20s")).isEqualTo(API_ERROR);
    ErrorReport full = ErrorReport.ofText("the box is full").withRetryAfter(Duration.ofSeconds(3));
    assertThat(classifier.classify(full).category()).isEqualTo(TRANSIENT);
    assertThat(classifier.classify(full.withStatedCategory(UNKNOWN)).category()).isEqualTo(UNKNOWN);
  }

  @Test
  @DisplayName("B14: an untrusted certificate is told as one, not as a full disk")
  void untrustedCertificate() {
    Failure failure =
        classifier.classify(
            ErrorReport.ofText(
                "PKIX path building failed: sun.security.provider.certpath."
                    + "SunCertPathBuilderException: unable to find valid certification path"));
    assertThat(failure.category()).isEqualTo(SYSTEM_ERROR);
    assertThat(failure.rule()).isEqualTo("text-certificate");
  }

  @Test
  @DisplayName("A12, T18: a stated category is believed against any text")
  void statedCategory() {
    ErrorReport report =
        ErrorReport.ofText("HTTP 503").withHttpStatus(503).withStatedCategory(CODE_ERROR);
    Failure failure = classifier.classify(report);
    assertThat(failure.category()).isEqualTo(CODE_ERROR);
    assertThat(failure.rule()).isEqualTo(Classifier.STATED);
  }

  @Test
  @DisplayName("A12, T18: a typed failure anywhere in the cause chain passes its report through")
  void typedFailure() {
    ErrorReport stated =
        ErrorReport.ofText("busy")
            .withStatedCategory(TRANSIENT)
            .withHttpStatus(429)
            .withRetryAfter(Duration.ofSeconds(30));
    RuntimeException thrown =
        new IllegalStateException("turn failed", new TypedFailureException(stated));

    Failure failure = classifier.classify(ErrorReport.ofThrowable(thrown));
    assertThat(failure.category()).isEqualTo(TRANSIENT);
    assertThat(failure.httpStatus()).isEqualTo(429);
    assertThat(failure.retryAfter()).isEqualTo(Duration.ofSeconds(30));
    assertThat(failure.message()).contains("turn failed").contains("busy");
  }

  @Test
  @DisplayName("A12: the class of the innermost cause decides before any text")
  void typedCauses() {
    assertThat(ofThrowable(new SocketTimeoutException("no such file"))).isEqualTo(TRANSIENT);
    assertThat(ofThrowable(new HttpTimeoutException("x"))).isEqualTo(TRANSIENT);
    assertThat(ofThrowable(new ConnectException("x"))).isEqualTo(TRANSIENT);
    assertThat(ofThrowable(new NoSuchFileException("rate limit"))).isEqualTo(SYSTEM_ERROR);
    assertThat(ofThrowable(new AccessDeniedException("429"))).isEqualTo(SYSTEM_ERROR);
    assertThat(ofThrowable(new OutOfMemoryError("heap"))).isEqualTo(SYSTEM_ERROR);
    assertThat(ofThrowable(new NullPointerException("timeout"))).isEqualTo(CODE_ERROR);
    assertThat(ofThrowable(new ClassCastException("timeout"))).isEqualTo(CODE_ERROR);
    assertThat(ofThrowable(new StackOverflowError())).isEqualTo(CODE_ERROR);
    assertThat(ofThrowable(new ExecutionException("HTTP 503", new ClassCastException("timeout"))))
        .isEqualTo(CODE_ERROR);
    assertThat(ofThrowable(new IllegalStateException("x", new SocketTimeoutException("y"))))
        .isEqualTo(TRANSIENT);
  }

  @Test
  @DisplayName("Composition 5: an abort that keeps its 503 as cause is transient, not unknown")
  void abortKeepsItsCause() {
    RuntimeException abort =
        new RuntimeException("aborted", new RuntimeException("HTTP 503 Service Unavailable"));
    Failure failure = classifier.classify(ErrorReport.ofThrowable(abort));
    assertThat(failure.category()).isEqualTo(TRANSIENT);
    assertThat(failure.httpStatus()).isEqualTo(503);
  }

  @ParameterizedTest
  @CsvSource({
    "75, TRANSIENT",
    "124, TRANSIENT",
    "126, SYSTEM_ERROR",
    "127, SYSTEM_ERROR",
    "137, SYSTEM_ERROR",
    "139, SYSTEM_ERROR",
    "143, SYSTEM_ERROR",
    "-9, SYSTEM_ERROR",
    "1, UNKNOWN",
    "2, UNKNOWN",
    "128, UNKNOWN",
    "166, SYSTEM_ERROR",
    "192, SYSTEM_ERROR",
    "193, UNKNOWN",
    "255, UNKNOWN",
    "0, UNKNOWN",
  })
  @DisplayName("A9: exit codes of signals and missing programs are system_error, 75 is transient")
  void exitCodes(int code, Category expected) {
    assertThat(classifier.classify(ErrorReport.ofText("it ended").withExitCode(code)).category())
        .isEqualTo(expected);
  }

  @Test
  @DisplayName("A9: a given exit code of a signal decides before the text")
  void exitCodeBeforeText() {
    ErrorReport report = ErrorReport.ofText("waiting, timed out: AssertionError").withExitCode(137);
    assertThat(classifier.classify(report).category()).isEqualTo(SYSTEM_ERROR);
  }

  @ParameterizedTest
  @CsvSource({
    "400, API_ERROR", "401, API_ERROR", "402, API_ERROR", "403, API_ERROR", "404, API_ERROR",
    "408, TRANSIENT", "413, API_ERROR", "422, API_ERROR", "429, TRANSIENT", "500, TRANSIENT",
    "502, TRANSIENT", "503, TRANSIENT", "504, TRANSIENT", "524, TRANSIENT", "529, TRANSIENT",
    "200, UNKNOWN", "302, UNKNOWN",
  })
  @DisplayName("A6, A7: a given HTTP status decides where the text says nothing")
  void givenStatus(int status, Category expected) {
    Failure failure = classifier.classify(ErrorReport.ofText("no").withHttpStatus(status));
    assertThat(failure.category()).isEqualTo(expected);
    assertThat(failure.httpStatus()).isEqualTo(status);
  }

  @Test
  @DisplayName("T5: a used-up quota beats its 429; with a short way out it is a rate limit")
  void quotas() {
    String quota = "{\"error\":{\"type\":\"insufficient_quota\",\"message\":\"plan\"}}";
    assertThat(classifier.classify(ErrorReport.ofText(quota).withHttpStatus(429)).category())
        .isEqualTo(API_ERROR);
    assertThat(ofText("429 You exceeded your current quota")).isEqualTo(API_ERROR);
    assertThat(ofText("429 You exceeded your current quota. Please retry in 12s."))
        .isEqualTo(TRANSIENT);
    assertThat(ofText("HTTP 429: account in arrears")).isEqualTo(API_ERROR);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "quota exceeded | API_ERROR",
        "quota exceeded, resets in 60 seconds | TRANSIENT",
        "quota exceeded; try again in 60 seconds | TRANSIENT",
        "daily quota exhausted, resets in 2 hours | TRANSIENT",
        "monthly limit reached, resets in 3 days | TRANSIENT",
        "EXIT-QUOTA-EXCEEDED | API_ERROR",
        "EXIT-QUOTA-EXCEEDED: resets in 3600 seconds | TRANSIENT",
        "402 Payment Required | API_ERROR",
        "402 Payment Required; try again in 5 minutes | API_ERROR",
        "402 Payment Required; resets in 5 minutes | TRANSIENT",
        "{\"code\":\"insufficient_quota\",\"message\":\"it resets in 1 hour\"} | TRANSIENT",
        "{\"code\":\"insufficient_quota\",\"resets_in_seconds\":3600} | TRANSIENT",
        "Disk quota exceeded, resets in 5 minutes | SYSTEM_ERROR",
        "x-ratelimit-reset-requests: 6m0s {\"code\":\"insufficient_quota\"} | API_ERROR",
      })
  @DisplayName("T5: a used-up quota is transient where its text says when it is there again")
  void quotaResets(String text, Category expected) {
    assertThat(ofText(text)).isEqualTo(expected);
  }

  @Test
  @DisplayName("A8: what a failing assertion quotes is neither a status nor a hint")
  void testReports() {
    Failure failure =
        classifier.classify(
            ErrorReport.ofText("AssertionError: expected HTTP 200, got HTTP 503, Retry-After: 30"));
    assertThat(failure.category()).isEqualTo(CODE_ERROR);
    assertThat(failure.httpStatus()).isNull();
    assertThat(failure.retryAfter()).isNull();
  }

  @Test
  @DisplayName("A54: the message is the whole text")
  void wholeMessage() {
    String text = "HTTP 503\n" + "x".repeat(1_000_000);
    Failure failure = classifier.classify(ErrorReport.ofText(text));
    assertThat(failure.message()).isEqualTo(text);
    assertThat(failure.evidence()).hasSizeLessThanOrEqualTo(Failure.MAX_EVIDENCE);
  }
}
