package dev.holdfast.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RetryPolicyTest {
  private static final RetrySettings DEFAULTS = RetrySettings.defaults();

  private final RetryPolicy policy = new RetryPolicy(() -> 0);

  private static Failure failure(Category category, @Nullable Duration hint) {
    return new Failure("it broke", category, "rule", "", hint, null, "print");
  }

  private RetryDecision decide(Category category, RetryHistory history, RetrySettings settings) {
    return policy.shouldRetryTicket(failure(category, null), history, settings);
  }

  private RetryDecision decide(Category category, int retryCount) {
    return decide(category, RetryHistory.ofRetryCount(retryCount), DEFAULTS);
  }

  @ParameterizedTest
  @CsvSource({
    "TRANSIENT, 3, exponential, 30",
    "API_ERROR, 2, linear, 15",
    "CODE_ERROR, 1, none, 0",
    "SYSTEM_ERROR, 2, exponential, 10",
    "UNKNOWN, 1, linear, 15"
  })
  @DisplayName("A14, A15, A16, A18, T19: each category's retries, backoff and base delay")
  void defaults(Category category, int max, String backoff, int baseSeconds) {
    assertThat(decide(category, max - 1).shouldRetry()).isTrue();
    assertThat(decide(category, max).shouldRetry()).isFalse();
    assertThat(decide(category, max + 1).shouldRetry()).isFalse();
    CategoryPolicy strategy = decide(category, 0).strategy();
    assertThat(strategy.maxRetries()).isEqualTo(max);
    assertThat(strategy.backoff().type().wireName()).isEqualTo(backoff);
    assertThat(decide(category, 0).nextDelay()).isEqualTo(Duration.ofSeconds(baseSeconds));
  }

  @Test
  @DisplayName("A18: cap 15 minutes, jitter 10 %, three equal errors, three crashes, one count")
  void otherDefaults() {
    assertThat(DEFAULTS.maxDelay()).isEqualTo(Duration.ofMinutes(15));
    assertThat(DEFAULTS.jitter()).isEqualTo(0.1);
    assertThat(DEFAULTS.sameErrorLimit()).isEqualTo(3);
    assertThat(DEFAULTS.crashLimit()).isEqualTo(3);
    assertThat(DEFAULTS.counting()).isEqualTo(Counting.SHARED);
  }

  @Test
  @DisplayName("A17, A22: a decision says what it decided on, and what remained before it")
  void decision() {
    RetryDecision first = decide(Category.TRANSIENT, 0);
    assertThat(first.attemptsRemaining()).isEqualTo(3);
    assertThat(first.classification()).isEqualTo(failure(Category.TRANSIENT, null));
    assertThat(first.strategy().maxRetries()).isEqualTo(3);
    assertThat(first.hold()).isEmpty();
    assertThat(decide(Category.TRANSIENT, 2).attemptsRemaining()).isEqualTo(1);
    assertThat(decide(Category.TRANSIENT, 3).attemptsRemaining()).isZero();
    assertThat(decide(Category.TRANSIENT, 99).attemptsRemaining()).isZero();
  }

  @Test
  @DisplayName("A21, A33: a hold has no delay, and the exact reason")
  void hold() {
    RetryDecision hold = decide(Category.API_ERROR, 2);
    assertThat(hold.nextDelay()).isZero();
    assertThat(hold.hold())
        .hasValue(new RetryDecision.Hold(HoldCause.MAX_RETRIES, "Max retries exceeded: api_error"));
  }

  @Test
  @DisplayName("A19: the delays of a row of retries")
  void delays() {
    assertThat(decide(Category.TRANSIENT, 1).nextDelay()).isEqualTo(Duration.ofSeconds(60));
    assertThat(decide(Category.TRANSIENT, 2).nextDelay()).isEqualTo(Duration.ofSeconds(120));
    assertThat(decide(Category.API_ERROR, 1).nextDelay()).isEqualTo(Duration.ofSeconds(30));
    assertThat(decide(Category.SYSTEM_ERROR, 1).nextDelay()).isEqualTo(Duration.ofSeconds(20));
  }

  @Test
  @DisplayName("A23: the count is shared; per_category counts each by itself")
  void counting() {
    RetryHistory history = new RetryHistory(2, Map.of(Category.TRANSIENT, 2), 1, 0);
    RetrySettings perCategory =
        DEFAULTS.with(new RetryOverrides(Map.of(), null, null, null, null, Counting.PER_CATEGORY));

    assertThat(decide(Category.CODE_ERROR, history, DEFAULTS).shouldRetry()).isFalse();
    RetryDecision own = decide(Category.CODE_ERROR, history, perCategory);
    assertThat(own.shouldRetry()).isTrue();
    assertThat(own.attemptsRemaining()).isEqualTo(1);
    RetryDecision third = decide(Category.TRANSIENT, history, perCategory);
    assertThat(third.nextDelay()).isEqualTo(Duration.ofSeconds(120));
    assertThat(decide(Category.API_ERROR, history, perCategory).nextDelay())
        .isEqualTo(Duration.ofSeconds(15));
  }

  @ParameterizedTest
  @CsvSource({"10, 30", "30, 30", "31, 31", "900, 900", "901, 900", "1000000, 900"})
  @DisplayName("A24: a hint raises the delay, up to the cap, and never lowers it")
  void hint(int hintSeconds, int delaySeconds) {
    Failure failure = failure(Category.TRANSIENT, Duration.ofSeconds(hintSeconds));
    assertThat(
            policy.shouldRetryTicket(failure, RetryHistory.ofRetryCount(0), DEFAULTS).nextDelay())
        .isEqualTo(Duration.ofSeconds(delaySeconds));
  }

  @Test
  @DisplayName("A24: a hint delays even what would be retried at once; it adds no retries")
  void hintWithoutBackoff() {
    Failure failure = failure(Category.CODE_ERROR, Duration.ofSeconds(9));
    RetryDecision first = policy.shouldRetryTicket(failure, RetryHistory.ofRetryCount(0), DEFAULTS);
    assertThat(first.nextDelay()).isEqualTo(Duration.ofSeconds(9));
    RetryDecision last = policy.shouldRetryTicket(failure, RetryHistory.ofRetryCount(1), DEFAULTS);
    assertThat(last.shouldRetry()).isFalse();
    assertThat(last.nextDelay()).isZero();
  }

  @Test
  @DisplayName("A18: jitter adds 0 to 10 %, 0 switches it off")
  void jitter() {
    Random random = new Random(7);
    RetryPolicy jittered = new RetryPolicy(random::nextDouble);
    RetrySettings off = DEFAULTS.with(new RetryOverrides(Map.of(), null, 0.0, null, null, null));
    boolean longer = false;
    for (int i = 0; i < 1000; i++) {
      Duration delay =
          jittered
              .shouldRetryTicket(
                  failure(Category.TRANSIENT, null), RetryHistory.ofRetryCount(0), DEFAULTS)
              .nextDelay();
      assertThat(delay).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(33));
      longer |= delay.compareTo(Duration.ofMillis(32_500)) > 0;
      assertThat(
              jittered
                  .shouldRetryTicket(
                      failure(Category.TRANSIENT, null), RetryHistory.ofRetryCount(0), off)
                  .nextDelay())
          .isEqualTo(Duration.ofSeconds(30));
    }
    assertThat(longer).isTrue();
  }

  private static RetrySettings manyRetries() {
    Map<Category, CategoryOverride> categories = new EnumMap<>(Category.class);
    for (Category category : Category.values()) {
      categories.put(category, new CategoryOverride(50, null, null));
    }
    return DEFAULTS.with(new RetryOverrides(categories, null, null, null, null, null));
  }

  @ParameterizedTest
  @EnumSource(Category.class)
  @DisplayName("the same error at its limit holds although retries remain, but never a transient")
  void sameError(Category category) {
    RetryHistory second = new RetryHistory(1, Map.of(), 2, 0);
    RetryHistory third = new RetryHistory(2, Map.of(), 3, 0);

    assertThat(decide(category, second, manyRetries()).shouldRetry()).isTrue();
    RetryDecision atLimit = decide(category, third, manyRetries());
    if (category == Category.TRANSIENT) {
      assertThat(atLimit.shouldRetry()).isTrue();
    } else {
      assertThat(atLimit.hold())
          .hasValue(
              new RetryDecision.Hold(
                  HoldCause.SAME_ERROR, "Same error 3 times in a row: " + category.wireName()));
    }
  }

  @ParameterizedTest
  @EnumSource(Category.class)
  @DisplayName("A33: where the retries are used up at the same moment, that is the reason")
  void sameErrorWhenUsedUp(Category category) {
    RetryHistory history = new RetryHistory(9, Map.of(), 3, 9);
    assertThat(decide(category, history, DEFAULTS).hold())
        .hasValue(
            new RetryDecision.Hold(
                HoldCause.MAX_RETRIES, "Max retries exceeded: " + category.wireName()));
  }

  @Test
  @DisplayName("20.1: the third death of its worker holds a ticket, whatever retries are left")
  void crashes() {
    RetryHistory history = new RetryHistory(0, Map.of(), 1, 3);
    assertThat(afterCrash(history).hold())
        .hasValue(
            new RetryDecision.Hold(HoldCause.POISON, "Its worker died 3 times: system_error"));
    // Deaths have a count of their own.
    RetryHistory before = new RetryHistory(9, Map.of(), 9, 2);
    assertThat(afterCrash(before).shouldRetry()).isTrue();
    assertThat(afterCrash(before).nextDelay()).isEqualTo(Duration.ofSeconds(20));
  }

  private RetryDecision afterCrash(RetryHistory history) {
    Failure failure = new Failure("x", Category.SYSTEM_ERROR, "test", "", null, null, "x");
    return policy.decide(failure, AttemptOutcome.CRASHED, history, DEFAULTS, null).decision();
  }

  @Test
  @DisplayName(
      "A22: a retry is counted once, in all and for its category; a crash and a hold use none")
  void counts() {
    Failure failure = failure(Category.API_ERROR, null);
    RetryHistory row = new RetryHistory(1, Map.of(Category.TRANSIENT, 1), 1, 1);

    RetryHistory repeated = row.with(failure, AttemptOutcome.FAILED, "print");
    assertThat(repeated).isEqualTo(new RetryHistory(1, row.retryCounts(), 2, 1));
    assertThat(row.with(failure, AttemptOutcome.FAILED, "other").sameErrorCount()).isOne();
    assertThat(decided(repeated, AttemptOutcome.FAILED, DEFAULTS, null))
        .isEqualTo(new RetryHistory(2, Map.of(Category.TRANSIENT, 1, Category.API_ERROR, 1), 2, 1));

    RetryHistory crashed = row.with(failure, AttemptOutcome.CRASHED, null);
    assertThat(crashed.crashCount()).isEqualTo(2);
    assertThat(decided(crashed, AttemptOutcome.CRASHED, DEFAULTS, null)).isEqualTo(crashed);
    RetrySettings noCrashLimit =
        DEFAULTS.with(new RetryOverrides(Map.of(), null, null, null, 0, null));
    assertThat(decided(crashed, AttemptOutcome.CRASHED, noCrashLimit, null).retryCount())
        .as("without a limit of crashes, one is a failure as any other")
        .isEqualTo(2);

    RetryDecision.Hold hold = new RetryDecision.Hold(HoldCause.HANDLER, "ask ann");
    assertThat(decided(repeated, AttemptOutcome.FAILED, DEFAULTS, hold)).isEqualTo(repeated);
    RetryHistory most = new RetryHistory(Integer.MAX_VALUE, Map.of(), 1, 0);
    assertThat(most.withRetry(Category.UNKNOWN).retryCount()).isEqualTo(Integer.MAX_VALUE);
  }

  private RetryHistory decided(
      RetryHistory history,
      AttemptOutcome outcome,
      RetrySettings settings,
      RetryDecision.@Nullable Hold hold) {
    return policy
        .decide(failure(Category.API_ERROR, null), outcome, history, settings, hold)
        .counts();
  }

  @Test
  @DisplayName("a limit of 0 is no limit")
  void noLimits() {
    RetrySettings none = manyRetries().with(new RetryOverrides(Map.of(), null, null, 0, 0, null));
    RetryHistory history = new RetryHistory(40, Map.of(), 40, 40);
    assertThat(decide(Category.SYSTEM_ERROR, history, none).shouldRetry()).isTrue();
  }

  @Test
  @DisplayName("A25: whatever the history, a decision is consistent")
  void properties() {
    Random random = new Random(20_261_121);
    for (int i = 0; i < 10_000; i++) {
      Category category = Category.values()[random.nextInt(Category.values().length)];
      Duration hint = random.nextBoolean() ? null : Duration.ofMillis(random.nextLong(1L << 50));
      RetryHistory history =
          new RetryHistory(
              random.nextInt() >>> (1 + random.nextInt(31)),
              Map.of(category, random.nextInt(5)),
              1 + random.nextInt(5),
              random.nextInt(7));

      RetryDecision decision =
          new RetryPolicy(random::nextDouble)
              .shouldRetryTicket(failure(category, hint), history, DEFAULTS);

      assertThat(decision.shouldRetry()).isEqualTo(decision.hold().isEmpty());
      assertThat(decision.attemptsRemaining()).isNotNegative();
      assertThat(decision.nextDelay()).isBetween(Duration.ZERO, Duration.ofSeconds(990));
      if (!decision.shouldRetry()) {
        assertThat(decision.nextDelay()).isZero();
      }
    }
  }

  @Test
  @DisplayName("settings lack no category and are in range")
  void settingsAreChecked() {
    assertThatThrownBy(() -> new RetrySettings(Map.of(), Duration.ZERO, 0, 0, 0, Counting.SHARED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("every category needs a policy");
    assertThatThrownBy(
            () ->
                new RetrySettings(DEFAULTS.categories(), Duration.ZERO, 1.5, 0, 0, Counting.SHARED))
        .hasMessage("jitter must be from 0 to 1: 1.5");
    assertThatThrownBy(() -> new CategoryPolicy(-1, new Backoff(BackoffType.NONE, Duration.ZERO)))
        .hasMessage("max retries must not be negative: -1");
    for (Duration bad : List.of(Duration.ofMillis(-1), Duration.ofMillis(Long.MAX_VALUE))) {
      assertThatThrownBy(
              () -> new RetrySettings(DEFAULTS.categories(), bad, 0, 0, 0, Counting.SHARED))
          .hasMessage("max delay must be from 0 to 365 days: " + bad);
    }
  }
}
