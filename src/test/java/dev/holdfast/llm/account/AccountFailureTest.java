package dev.holdfast.llm.account;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.Account;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Calls;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.account.AccountFailure.Reason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a failed call says of its account. */
class AccountFailureTest {
  private static final Account ACCOUNT = new Account("openai", "k1", "key-1");

  private static AccountFailure of(CallResult.Failed failed, boolean byModel) {
    return AccountFailure.of(ACCOUNT, "m-1", failed, byModel).orElseThrow();
  }

  private static AccountFailure of(CallResult.Failed failed) {
    return of(failed, false);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "RATE_LIMIT, true, 429, rate_limit_exceeded, openai/k1/, RATE_LIMIT, false",
        "RATE_LIMIT, true, 429, -, openai/k1/, RATE_LIMIT, false",
        "QUOTA_EXCEEDED, false, 402, -, openai/k1/, QUOTA, false",
        "AUTH_ERROR, false, 401, -, openai/k1/, AUTH, false",
        "AUTH_ERROR, false, -, authentication_error, openai/k1/, AUTH, false",
        "AUTH_ERROR, false, 403, -, openai/k1/m-1, AUTH, false",
        "NETWORK_ERROR, true, -, -, openai//, OUTAGE, false",
        "NETWORK_ERROR, true, 200, -, openai//, OUTAGE, true",
        "MODEL_ERROR, true, 529, -, openai//, OVERLOADED, false",
        "MODEL_ERROR, true, -, overloaded_error, openai//, OVERLOADED, false",
        "MODEL_ERROR, true, 503, Server_Is_OVERLOADED, openai//, OVERLOADED, false",
        "MODEL_ERROR, true, 502, -, openai//, OUTAGE, false",
        "MODEL_ERROR, true, 503, -, openai//, OUTAGE, false",
        "MODEL_ERROR, true, 500, -, openai//, OUTAGE, true",
        "MODEL_ERROR, true, 504, -, openai//, OUTAGE, true",
        "MODEL_ERROR, true, -, UNAVAILABLE, openai//, OUTAGE, false",
        "MODEL_ERROR, true, 500, UNAVAILABLE, openai//, OUTAGE, false",
      })
  @DisplayName(
      "a failure closes as little as it speaks of; a plain 500 and an answer that was cut are only"
          + " weak signs")
  void scopes(
      FailureKind kind,
      boolean retryable,
      @Nullable Integer status,
      @Nullable String code,
      String scope,
      Reason reason,
      boolean weak) {
    AccountFailure failure = of(Calls.failed(kind, retryable, "words", status, code));
    assertThat(failure.scope().text()).isEqualTo(scope);
    assertThat(failure.reason()).isEqualTo(reason);
    assertThat(failure.weak()).isEqualTo(weak);
    assertThat(failure.httpStatus()).isEqualTo(status);
    assertThat(failure.ofOneKey()).isEqualTo(scope.contains("k1"));
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "TIMEOUT, true, -, -",
        "INVALID_RESPONSE, true, -, -",
        "CONTEXT_OVERFLOW, false, 400, -",
        "OUT_OF_BUDGET, false, -, -",
        "MODEL_ERROR, false, 400, -",
        "MODEL_ERROR, false, 529, overloaded_error",
        "MODEL_ERROR, false, 503, unavailable",
        "MODEL_ERROR, true, 499, -",
        "NETWORK_ERROR, false, -, -",
      })
  @DisplayName("what the request, the network or our own bounds are to blame for closes nobody")
  void notToBlame(
      FailureKind kind, boolean retryable, @Nullable Integer status, @Nullable String code) {
    CallResult.Failed failed = Calls.failed(kind, retryable, "words", status, code);
    assertThat(AccountFailure.of(ACCOUNT, "m-1", failed, false)).isEmpty();
  }

  @Test
  @DisplayName("limits per model: a rate limit closes the model and leaves the account's others")
  void perModel() {
    CallResult.Failed limited = Calls.failed(FailureKind.RATE_LIMIT, true, "slow down");
    assertThat(of(limited, true).scope()).isEqualTo(new Scope("openai", "k1", "m-1"));
    CallResult.Failed refused = Calls.failed(FailureKind.QUOTA_EXCEEDED, false, "empty");
    assertThat(of(refused, true).scope().model()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "usage_limit_reached, slow down",
        "-, You have hit your Usage limit",
        "-, usage-limit reached for gpt",
        "x, the usagelimit of this plan",
      })
  @DisplayName("D14: a plan's usage limit is the account's even where limits count per model")
  void usageLimit(@Nullable String code, String message) {
    AccountFailure failure =
        of(Calls.failed(FailureKind.RATE_LIMIT, true, message, 429, code), true);
    assertThat(failure.reason()).isEqualTo(Reason.USAGE_LIMIT);
    assertThat(failure.scope().text()).isEqualTo("openai/k1/");
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {"PT3S, PT3S", "PT0S, PT0S", "PT-1S, -", "-, -", "PT10000H, PT10000H"})
  @DisplayName("a hint is handed on as it is; one from the past is none")
  void hints(@Nullable Duration said, @Nullable Duration expected) {
    CallResult.Failed failed = Calls.failed(FailureKind.RATE_LIMIT, true, "slow down");
    assertThat(of(Calls.withHint(failed, said)).hint()).isEqualTo(expected);
  }

  @Test
  @DisplayName("the detail is the first line, at most 300 characters of it")
  void detail() {
    assertThat(detail(" \n two words \r\nsecond line")).isEqualTo("two words ");
    assertThat(detail("")).isEmpty();
    assertThat(detail("\n\n")).isEmpty();
    assertThat(detail("x".repeat(300))).isEqualTo("x".repeat(300));
    assertThat(detail("x".repeat(100_000))).isEqualTo("x".repeat(300) + "…");
  }

  private static String detail(String message) {
    return of(Calls.failed(FailureKind.RATE_LIMIT, true, message)).detail();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("each reason has the name that the table of cool-downs and the metrics know")
  void wireNames(Reason reason) {
    assertThat(reason.wireName()).matches("[a-z_]+").isEqualToIgnoringCase(reason.name());
  }

  @Test
  @DisplayName("a scope is three parts as text, and only those it has in words")
  void words() {
    assertThat(Scope.ofProvider("openai").words()).isEqualTo("openai");
    assertThat(Scope.ofAccount(ACCOUNT).words()).isEqualTo("openai key k1");
    assertThat(Scope.ofModel(ACCOUNT, "m-1").words()).isEqualTo("openai key k1 model m-1");
    assertThat(Scope.around(ACCOUNT, "m-1"))
        .extracting(Scope::text)
        .containsExactly("openai//", "openai/k1/", "openai/k1/m-1");
  }
}
