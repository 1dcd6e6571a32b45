package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.FailureCategory;
import dev.holdfast.session.retry.TurnError;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Composition: what bounds all layers together, and what the ticket layer is told. */
class BudgetTest {
  @Test
  @DisplayName("Composition 1: a used-up call budget is final for turns and retries")
  void callBudget() {
    Bench bench = Bench.with(Replies.overloaded()).autoRetry();
    bench.maxCalls = 5;

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(bench.calls()).isEqualTo(5);
    assertThat(failed.exit()).isEqualTo(SessionExitCode.BUDGET_EXCEEDED);
    assertThat(failed.category()).isEqualTo(Category.TRANSIENT);
    assertThat(failed.error()).contains("used up").contains("Service Unavailable");
    assertThat(failed.errorReport().httpStatus()).isEqualTo(503);
  }

  @Test
  @DisplayName("Composition 1, 5: no wait goes past the deadline, and the true cause is kept")
  void deadline() {
    Bench bench = Bench.guarded(Replies.rateLimit(Duration.ofSeconds(30)));
    bench.timeAllowed = Duration.ofSeconds(20);

    SessionResult.StoodStill still = (SessionResult.StoodStill) bench.run();

    assertThat(bench.sleeper.millis).isEmpty();
    assertThat(still.why().left()).isEqualTo(Duration.ofSeconds(30));
    assertThat(still.error()).contains("slow down");
  }

  @Test
  @DisplayName("Composition 1: a provider that has no budget left ends the session too")
  void providerOutOfBudget() {
    Bench bench = Bench.with(Replies.failed(FailureKind.OUT_OF_BUDGET, false, "no calls left"));
    bench.autoRetry();

    assertThat(bench.runToFailure().exit()).isEqualTo(SessionExitCode.BUDGET_EXCEEDED);
    assertThat(bench.calls()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "NO_LLM_RESPONSE,RATE_LIMIT,true,TRANSIENT",
    "NO_LLM_RESPONSE,NETWORK_ERROR,true,TRANSIENT",
    "NO_LLM_RESPONSE,NETWORK_ERROR,false,SYSTEM_ERROR",
    "INACTIVITY_TIMEOUT,TIMEOUT,true,TRANSIENT",
    "NO_LLM_RESPONSE,MODEL_ERROR,true,TRANSIENT",
    "NO_LLM_RESPONSE,MODEL_ERROR,false,API_ERROR",
    "AUTH_FAILURE,AUTH_ERROR,false,API_ERROR",
    "QUOTA_EXCEEDED,QUOTA_EXCEEDED,false,API_ERROR",
    "MAX_TURNS,INVALID_RESPONSE,true,CODE_ERROR",
    "TOKEN_LIMIT,CONTEXT_OVERFLOW,false,CODE_ERROR",
    "BUDGET_EXCEEDED,OUT_OF_BUDGET,false,TRANSIENT"
  })
  @DisplayName("Composition 9: each end of a session has its category")
  void categories(SessionExitCode exit, FailureKind kind, boolean retryable, Category category) {
    CallResult.Failed failure = Replies.failed(kind, retryable, "x");
    TurnError error = TurnError.of(new dev.holdfast.llm.Target("p", "m"), failure);
    assertThat(FailureCategory.of(exit, error)).isEqualTo(category);
  }

  @Test
  @DisplayName("Composition 9: what a call threw says itself what it is")
  void thrown() {
    Bench bench = new Bench();
    IllegalStateException bug = new IllegalStateException("bug");
    bench
        .target("one")
        .then(
            request -> {
              throw bug;
            });

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(failed.category()).isNull();
    assertThat(failed.errorReport().cause()).isSameAs(bug);
  }
}
