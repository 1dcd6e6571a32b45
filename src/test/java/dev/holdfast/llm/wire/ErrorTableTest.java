package dev.holdfast.llm.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.FailureKind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The mapping that needs no server to be asked; {@code ErrorMappingTest} asks some. */
class ErrorTableTest {
  private static ErrorMeaning of(@Nullable Integer status, String message, String... codes) {
    return ErrorTable.of(status, new ErrorBody(message, List.of(codes), null, false));
  }

  private static ErrorMeaning meaning(FailureKind kind, boolean retryable) {
    return new ErrorMeaning(kind, retryable);
  }

  @ParameterizedTest
  @CsvSource({
    "context_length_exceeded, CONTEXT_OVERFLOW, false",
    "context_window_exceeded, CONTEXT_OVERFLOW, false",
    "request_too_large, CONTEXT_OVERFLOW, false",
    "model_context_window_exceeded, CONTEXT_OVERFLOW, false",
    "insufficient_quota, QUOTA_EXCEEDED, false",
    "credit_balance_exhausted, QUOTA_EXCEEDED, false",
    "billing_error, QUOTA_EXCEEDED, false",
    "organization_spend_limit_exceeded, QUOTA_EXCEEDED, false",
    "insufficient_balance, QUOTA_EXCEEDED, false",
    "project_spend_limit_exceeded, QUOTA_EXCEEDED, false",
    "billing_not_active, QUOTA_EXCEEDED, false",
    "organization_usage_limit_exceeded, QUOTA_EXCEEDED, false",
    "payment_required, QUOTA_EXCEEDED, false",
    "enforced_spend_limit_reached, QUOTA_EXCEEDED, false",
    "billing_hard_limit_reached, QUOTA_EXCEEDED, false",
    "invalid_api_key, AUTH_ERROR, false",
    "authentication_error, AUTH_ERROR, false",
    "permission_error, AUTH_ERROR, false",
    "account_deactivated, AUTH_ERROR, false",
    "unsupported_country_region_territory, AUTH_ERROR, false",
    "UNAUTHENTICATED, AUTH_ERROR, false",
    "PERMISSION_DENIED, AUTH_ERROR, false",
    "rate_limit_exceeded, RATE_LIMIT, true",
    "rateLimitError, RATE_LIMIT, true",
    "slow_down, RATE_LIMIT, true",
    "too-many-requests, RATE_LIMIT, true",
    "RESOURCE_EXHAUSTED, RATE_LIMIT, true",
    "overloaded_error, MODEL_ERROR, true",
    "server_is_overloaded, MODEL_ERROR, true",
    "overloaded, MODEL_ERROR, true",
    "service_unavailable_error, MODEL_ERROR, true",
    "engine_overloaded, MODEL_ERROR, true",
    "UNAVAILABLE, MODEL_ERROR, true",
    "model_not_found, MODEL_ERROR, false",
    "content_policy_violation, MODEL_ERROR, false",
  })
  @DisplayName("B17: a code that is known decides, in any spelling, on whatever status")
  void codes(String code, FailureKind kind, boolean retryable) {
    for (Integer status : new Integer[] {200, 400, 401, 429, 500}) {
      assertThat(of(status, "words", "unknown", code)).isEqualTo(meaning(kind, retryable));
    }
    assertThat(of(null, "words", code)).isEqualTo(meaning(kind, retryable));
  }

  @Test
  @DisplayName("B17: of several codes the first that is known decides")
  void firstCode() {
    assertThat(of(429, "", "insufficient_quota", "rate_limit_error")).isEqualTo(ErrorMeaning.QUOTA);
    assertThat(of(429, "", "rate_limit_error", "insufficient_quota"))
        .isEqualTo(ErrorMeaning.RATE_LIMIT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"invalid_request_error", "not_found_error", "BadRequestError", "INVALID_ARGUMENT"})
  @DisplayName("B17: a request is refused by a code only where there is no status beside it")
  void withoutStatus(String code) {
    assertThat(of(null, "words", code)).isEqualTo(ErrorMeaning.REFUSED);
    assertThat(of(500, "words", code)).isEqualTo(ErrorMeaning.BROKEN);
    assertThat(of(429, "words", code)).isEqualTo(ErrorMeaning.RATE_LIMIT);
  }

  @Test
  @DisplayName("B17: what breaks off a stream without saying why may pass")
  void inStream() {
    assertThat(of(null, "something odd")).isEqualTo(ErrorMeaning.BROKEN);
    assertThat(ErrorTable.of(null, new ErrorBody("", List.of(), 402, false)))
        .as("the number of a gateway is the status")
        .isEqualTo(ErrorMeaning.QUOTA);
    assertThat(ErrorTable.of(500, new ErrorBody("", List.of(), 402, false)))
        .as("but not beside one")
        .isEqualTo(ErrorMeaning.BROKEN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "prompt is too long: 250000 tokens > 200000 maximum",
        "Input is too long for requested model.",
        "This model's maximum context length is 8192 tokens",
        "context_length_exceeded",
        "the request exceeds the available context size",
        "This would exceed the model's context",
        "The context window is full",
        "the number of tokens is greater than the context length (4096)",
        "The input token count (1200000) exceeds the maximum number of tokens allowed",
        "This model's maximum prompt length is 131072",
        "Your request exceeded model token limit: 8192",
        "Please reduce the length of the messages or completion",
        "the request exceeds the limit of 4096 tokens",
        "Prompt contains 9000 tokens, too large for model with 8192 maximum context length",
        "The decoder prompt (length 9429) is longer than the maximum model length of 8192.",
        "However, the model's context length is only 8192 tokens, resulting in a maximum input",
        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
        "input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000",
        "InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]",
        "prompt too long; exceeded max context length by 4 tokens",
        "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens",
      })
  @DisplayName(
      "D3: an overflow is known by the words of each vendor, on any status that decides"
          + " nothing")
  void overflow(String message) {
    for (Integer status : new Integer[] {400, 422, 500}) {
      assertThat(of(status, message)).isEqualTo(ErrorMeaning.OVERFLOW);
    }
    assertThat(of(null, message, "invalid_request_error")).isEqualTo(ErrorMeaning.OVERFLOW);
    assertThat(of(429, message)).isEqualTo(ErrorMeaning.RATE_LIMIT);
  }

  @ParameterizedTest
  @CsvSource({
    "413, 'Request too large for model `m` in organization `o` on tokens per minute (TPM): Limit"
        + " 6000, Requested 7123, please reduce your message size and try again.'",
    "429, 'Request too large for gpt-4o in organization o on tokens per min (TPM): Limit 30000,"
        + " Requested 32871. The input or output tokens must be reduced in order to run.'",
  })
  @DisplayName("D3: a request that is larger than a minute's tokens is too long, and no rate")
  void largerThanTheRate(int status, String message) {
    assertThat(of(status, message, "rate_limit_exceeded", "tokens"))
        .isEqualTo(ErrorMeaning.OVERFLOW);
  }

  @ParameterizedTest
  @CsvSource({
    "'m requires moderation on OpenRouter. Your input was flagged for \"violence\".', 403",
    "'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO', permission-denied",
  })
  @DisplayName("B17: a 403 that is about what was said says nothing of the key")
  void flagged(String message, String code) {
    assertThat(of(403, message, code)).isEqualTo(ErrorMeaning.REFUSED);
  }

  @ParameterizedTest
  @CsvSource({
    "403, permission-denied, 'Your team t has either used all available credits or reached its"
        + " monthly spending limit.'",
    "429, Some resource has been exhausted, 'Your team t has either used all available credits or"
        + " reached its monthly spending limit.'",
    "403, permission-denied, 'Your newly created teams doesn''t have any credits yet.'",
    "403, 403, 'Key limit exceeded (weekly limit). Manage it using https://openrouter.ai'",
    "400, budget_exceeded, 'Budget has been exceeded! Current cost: 2.1, Max budget: 2.0'",
    "400, Arrearage, 'Access denied, please make sure your account is in good standing.'",
  })
  @DisplayName("B17: an empty account is known although its status is that of a key or a request")
  void spentElsewhere(int status, String code, String message) {
    assertThat(of(status, message, code)).isEqualTo(ErrorMeaning.QUOTA);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "You have reached your specified API usage limits.",
        "Your credit balance is too low to access the API",
        "Insufficient credits",
        "insufficient balance",
        "insufficient funds",
        "Billing hard limit has been reached",
        "Insufficient balance or no resource package. Please recharge.",
        "Your account is suspended due to insufficient balance, please recharge your account",
      })
  @DisplayName("B17: an empty account is known by its words, on 400 and on 429")
  void spent(String message) {
    assertThat(of(400, message, "invalid_request_error")).isEqualTo(ErrorMeaning.QUOTA);
    assertThat(of(429, message, "1113")).isEqualTo(ErrorMeaning.QUOTA);
    assertThat(of(429, message, "rate_limit_error"))
        .as("a code that is known decides")
        .isEqualTo(ErrorMeaning.RATE_LIMIT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Rate limit reached for m in organization o on tokens per min (TPM): Limit 30000, Used"
            + " 29000. Please try again in 4.77s.",
        "Rate limit reached. To increase it, add a payment method to your billing settings.",
        "You exceeded your current quota, please check your plan and billing details.",
        "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 requests per day",
        "This request would exceed your organization's rate limit. Contact sales for more credits.",
        "insufficient quota for concurrent requests",
        "",
      })
  @DisplayName("B17: a 429 that only speaks of a plan, billing or credits is a rate limit")
  void notSpent(String message) {
    assertThat(of(429, message)).isEqualTo(ErrorMeaning.RATE_LIMIT);
  }

  @ParameterizedTest
  @CsvSource({
    "'quota exceeded, limit: 0', QUOTA_EXCEEDED",
    "'quota exceeded, limit: 0, model: x', QUOTA_EXCEEDED",
    "'quota exceeded, limit: 05', RATE_LIMIT",
    "'quota exceeded, limit: 10', RATE_LIMIT",
    "'unlimit: 0', RATE_LIMIT",
  })
  @DisplayName("B17: a limit of nothing at all is no rate: waiting does not raise it")
  void noQuotaAtAll(String message, FailureKind kind) {
    assertThat(of(429, message, "RESOURCE_EXHAUSTED").kind()).isEqualTo(kind);
    assertThat(of(429, message, "overloaded")).isEqualTo(ErrorMeaning.BROKEN);
  }

  @ParameterizedTest
  @CsvSource({
    "403, true, MODEL_ERROR",
    "502, true, MODEL_ERROR",
    "401, false, AUTH_ERROR",
    "429, true, RATE_LIMIT",
    "404, false, MODEL_ERROR"
  })
  @DisplayName(
      "B17: a gateway's page says nothing of the key on 403, and what its status says else")
  void pages(int status, boolean retryable, FailureKind kind) {
    ErrorBody page = new ErrorBody("prompt is too long", List.of(), null, true);
    assertThat(ErrorTable.of(status, page)).isEqualTo(meaning(kind, retryable));
    assertThat(ErrorTable.of(null, page)).isEqualTo(ErrorMeaning.INVALID);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "-, true",
        "200, true",
        "299, true",
        "300, false",
        "399, false",
        "400, false",
        "408, true",
        "429, false",
        "499, false",
        "500, true",
        "502, true",
        "503, false",
        "504, true",
        "529, false",
      })
  @DisplayName("only what was surely refused before any work counts as not billed")
  void maybeBilled(@Nullable Integer status, boolean billed) {
    assertThat(ErrorTable.maybeBilled(status, FailureKind.MODEL_ERROR)).isEqualTo(billed);
  }

  @Test
  @DisplayName("an overflow is refused before any work, whatever its status")
  void overflowIsFree() {
    assertThat(ErrorTable.maybeBilled(500, FailureKind.CONTEXT_OVERFLOW)).isFalse();
  }
}
