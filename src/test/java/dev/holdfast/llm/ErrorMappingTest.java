package dev.holdfast.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelServer;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorMappingTest extends ProviderFixture {
  @ParameterizedTest
  @CsvSource({
    "301, MODEL_ERROR, false, false",
    "400, MODEL_ERROR, false, false",
    "401, AUTH_ERROR, false, false",
    "402, QUOTA_EXCEEDED, false, false",
    "403, AUTH_ERROR, false, false",
    "404, MODEL_ERROR, false, false",
    "408, TIMEOUT, true, true",
    "413, CONTEXT_OVERFLOW, false, false",
    "422, MODEL_ERROR, false, false",
    "429, RATE_LIMIT, true, false",
    "500, MODEL_ERROR, true, true",
    "501, MODEL_ERROR, true, true",
    "503, MODEL_ERROR, true, false",
    "504, MODEL_ERROR, true, true",
    "529, MODEL_ERROR, true, false",
    "599, MODEL_ERROR, true, true",
  })
  @DisplayName("B17: without any code the status decides, for both vendors, with and without body")
  void statuses(int status, FailureKind kind, boolean retryable, boolean billed)
      throws InterruptedException {
    for (Vendor vendor : Vendor.values()) {
      for (String body : new String[] {"", "{}", "{\"error\":{\"message\":\"m\"}}", "no json"}) {
        models.next(ModelBehaviour.status(status, Map.of(), body));
        CallResult.Failed failed = failed(vendor);
        assertThat(failed.kind()).as("%s %s %s", vendor, status, body).isEqualTo(kind);
        assertThat(failed.retryable()).isEqualTo(retryable);
        assertThat(failed.httpStatus()).isEqualTo(status);
        assertThat(failed.maybeBilled()).isEqualTo(billed);
        assertThat(wire.getLast().httpStatus()).isEqualTo(status);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  @DisplayName("B17: a redirect is not followed: neither key nor conversation goes to another host")
  void redirected(int status) throws InterruptedException {
    try (ModelServer other = ModelServer.start()) {
      String there = "http://localhost:" + other.port();
      for (Vendor vendor : Vendor.values()) {
        Map<String, String> location = Map.of("Location", there + "/v1/messages?key=secret");
        models.next(ModelBehaviour.status(status, location, ""));
        CallResult.Failed failed = failed(vendor);
        assertThat(other.requests()).as(vendor.name()).isEmpty();
        assertThat(failed.kind()).isEqualTo(FailureKind.MODEL_ERROR);
        assertThat(failed.retryable()).isFalse();
        assertThat(failed.maybeBilled()).isFalse();
        assertThat(failed.httpStatus()).isEqualTo(status);
        assertThat(failed.message())
            .contains("HTTP " + status, there + ",", "base-url")
            .doesNotContain("messages");
      }
    }
  }

  static Stream<Arguments> bodies() {
    return Stream.of(
        openAi(429, "insufficient_quota", "insufficient_quota", "q", "QUOTA_EXCEEDED"),
        openAi(429, "insufficient_quota", "credit_balance_exhausted", "q", "QUOTA_EXCEEDED"),
        openAi(429, "x", "organization_spend_limit_exceeded", "q", "QUOTA_EXCEEDED"),
        openAi(429, "x", "project_spend_limit_exceeded", "q", "QUOTA_EXCEEDED"),
        openAi(429, "x", "organization_usage_limit_exceeded", "q", "QUOTA_EXCEEDED"),
        openAi(429, "rate_limit_error", "slow_down", "s", "RATE_LIMIT"),
        openAi(429, "requests", "rate_limit_exceeded", "s", "RATE_LIMIT"),
        openAi(429, "x", "x", "INSUFFICIENT QUOTA for concurrent requests", "RATE_LIMIT"),
        openAi(429, "x", "1113", "Insufficient balance. Please recharge.", "QUOTA_EXCEEDED"),
        openAi(400, "invalid_request_error", "context_length_exceeded", "c", "CONTEXT_OVERFLOW"),
        openAi(400, "x", "x", "maximum context length is 8192 tokens", "CONTEXT_OVERFLOW"),
        openAi(500, "x", "x", "the request exceeds the available context size", "CONTEXT_OVERFLOW"),
        openAi(400, "x", "context_length_exceeded", "429 context_length", "CONTEXT_OVERFLOW"),
        openAi(401, "invalid_request_error", "invalid_api_key", "k", "AUTH_ERROR"),
        openAi(403, "x", "unsupported_country_region_territory", "k", "AUTH_ERROR"),
        openAi(404, "invalid_request_error", "model_not_found", "m", "MODEL_ERROR"),
        openAi(503, "service_unavailable_error", "server_is_overloaded", "o", "MODEL_ERROR"),
        anthropic(429, "rate_limit_error", "", "r", "RATE_LIMIT"),
        anthropic(429, "rate_limit_error", "enforced_spend_limit_reached", "r", "QUOTA_EXCEEDED"),
        anthropic(402, "billing_error", "", "b", "QUOTA_EXCEEDED"),
        anthropic(
            400,
            "invalid_request_error",
            "",
            "You have reached your specified API usage limits. You will regain access on"
                + " 2026-12-01 at 00:00 UTC.",
            "QUOTA_EXCEEDED"),
        anthropic(
            400,
            "invalid_request_error",
            "",
            "prompt is too long: 250000 tokens > 200000 maximum",
            "CONTEXT_OVERFLOW"),
        anthropic(400, "invalid_request_error", "", "tools.0: bad", "MODEL_ERROR"),
        anthropic(529, "overloaded_error", "", "o", "MODEL_ERROR"),
        anthropic(403, "permission_error", "", "p", "AUTH_ERROR"),
        Arguments.of(
            Vendor.OPENAI,
            429,
            "[{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"quota"
                + " exceeded, limit: 0\"}}]",
            FailureKind.QUOTA_EXCEEDED),
        Arguments.of(
            Vendor.OPENAI,
            429,
            "[{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"per"
                + " minute, limit: 10\"}}]",
            FailureKind.RATE_LIMIT),
        Arguments.of(
            Vendor.OPENAI,
            400,
            "{\"object\":\"error\",\"message\":\"This model's maximum context length is 10\","
                + "\"type\":\"BadRequestError\",\"code\":400}",
            FailureKind.CONTEXT_OVERFLOW),
        Arguments.of(
            Vendor.OPENAI, 404, "{\"error\":\"model 'x' not found\"}", FailureKind.MODEL_ERROR));
  }

  private static Arguments openAi(int status, String type, String code, String text, String kind) {
    String body = "{\"error\":{\"message\":\"%s\",\"type\":\"%s\",\"param\":null,\"code\":\"%s\"}}";
    return Arguments.of(
        Vendor.OPENAI, status, body.formatted(text, type, code), FailureKind.valueOf(kind));
  }

  private static Arguments anthropic(
      int status, String type, String code, String text, String kind) {
    String body =
        "{\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"%s\",\"details\":"
            + "{\"error_code\":\"%s\"}},\"request_id\":\"r\"}";
    return Arguments.of(
        Vendor.ANTHROPIC, status, body.formatted(type, text, code), FailureKind.valueOf(kind));
  }

  @ParameterizedTest
  @MethodSource("bodies")
  @DisplayName("B17, D3: structured codes come before the status, and text last")
  void codes(Vendor vendor, int status, String body, FailureKind kind) throws InterruptedException {
    models.next(ModelBehaviour.status(status, Map.of(), body));
    CallResult.Failed failed = failed(vendor);
    assertThat(failed.kind()).as(failed.toString()).isEqualTo(kind);
    assertThat(failed.httpStatus()).isEqualTo(status);
  }

  @Test
  @DisplayName("B13: the kind of an auth error does not hang on its words")
  void authWords() throws InterruptedException {
    models.next(ModelBehaviour.error(401, "authentication_error", "Quota exceeded, slow down"));
    assertThat(failed(Vendor.ANTHROPIC).kind()).isEqualTo(FailureKind.AUTH_ERROR);
    models.next(ModelBehaviour.error(500, "api_error", "Invalid API key"));
    assertThat(failed(Vendor.ANTHROPIC).kind()).isEqualTo(FailureKind.MODEL_ERROR);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B17: a gateway's page on 403 is no word about the key")
  void gatewayPage(Vendor vendor) throws InterruptedException {
    models.next(
        ModelBehaviour.html(403, "<!DOCTYPE html><html><title>Just a moment...</title></html>"));
    CallResult.Failed failed = failed(vendor);
    assertThat(failed.kind()).isEqualTo(FailureKind.MODEL_ERROR);
    assertThat(failed.retryable()).isTrue();
    assertThat(failed.message()).contains("HTTP 403", "Just a moment...");
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a key that the server quotes is not in the failure")
  void noKeys(Vendor vendor) throws InterruptedException {
    models.next(ModelBehaviour.error(401, "authentication_error", "wrong key: secret-1"));
    CallResult.Failed failed = failed(vendor);
    assertThat(failed.message()).contains("wrong key: key-1");
    assertThat(failed.toString()).doesNotContain("secret-1");
  }

  private static String inFiveYears() {
    return DateTimeFormatter.RFC_1123_DATE_TIME.format(
        OffsetDateTime.now(ZoneOffset.UTC).plusYears(5));
  }

  static Stream<Arguments> hints() {
    return Stream.of(
        Arguments.of(Map.of("Retry-After", "3"), "", 3_000L),
        Arguments.of(Map.of("Retry-After", inFiveYears()), "", null),
        Arguments.of(Map.of("Retry-After", "Sat, 21 Nov 2099 12:00:00 GMT"), "", 0L),
        Arguments.of(Map.of("retry-after-ms", "1500", "Retry-After", "2"), "", 1_500L),
        Arguments.of(
            Map.of("x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "6m0s"),
            "",
            360_000L),
        Arguments.of(
            Map.of(),
            "{\"error\":{\"details\":[{\"@type\":\"RetryInfo\",\"retryDelay\":\"46s\"}]}}",
            46_000L),
        Arguments.of(Map.of(), "{\"error\":{\"message\":\"Please try again in 4.77s\"}}", 4_770L),
        Arguments.of(
            Map.of(), "{\"error\":{\"message\":\"Please retry in 10h17m5.7s\"}}", 37_025_700L),
        Arguments.of(Map.of("Retry-After", "-1"), "", 0L),
        Arguments.of(Map.of("Retry-After", "soon"), "", 0L),
        Arguments.of(Map.of(), "nothing", 0L));
  }

  @ParameterizedTest
  @MethodSource("hints")
  @DisplayName("B17: how long the server asks to wait, in each of its forms")
  void retryAfter(
      Map<String, String> headers, String body, @org.jspecify.annotations.Nullable Long millis)
      throws InterruptedException {
    models.next(ModelBehaviour.status(429, headers, body));
    Duration hint = failed(Vendor.OPENAI).retryAfter();
    if (millis == null) {
      assertThat(hint).isGreaterThan(Duration.ofDays(1_000));
    } else if (millis == 0) {
      assertThat(hint).isNull();
    } else {
      assertThat(hint).isEqualTo(Duration.ofMillis(millis));
    }
  }
}
