package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** B-4 and B-5: when the turn runner waits, and how long. */
class RateLimitTest {
  private static Rotation rotation() {
    return new Rotation(1, TurnWaits.DEFAULT);
  }

  private static RetryDirective directive(@org.jspecify.annotations.Nullable Double backoffMs) {
    return RetryDirective.of(RetryDirective.Action.RETRY, backoffMs);
  }

  @Test
  @DisplayName("B25: waits are from 1 to 60 seconds")
  void constants() {
    assertThat(TurnWaits.RATE_LIMIT_MIN_WAIT_MS).isEqualTo(1000);
    assertThat(TurnWaits.RATE_LIMIT_MAX_WAIT_MS).isEqualTo(60000);
    assertThat(TurnWaits.DEFAULT.rateLimitMin()).isEqualTo(Duration.ofSeconds(1));
    assertThat(TurnWaits.DEFAULT.rateLimitMax()).isEqualTo(Duration.ofSeconds(60));
  }

  @ParameterizedTest
  @CsvSource({"1,1000", "3,3000", "60,60000", "75,60000", "2147483647,60000"})
  @DisplayName("B26, T6: the fallback wait is clamp(attempts*1000, 1000, 60000)")
  void fallback(int attempts, long wait) {
    assertThat(rotation().suggestedMs(directive(null), Replies.rateLimit(null), attempts))
        .isEqualTo(wait);
  }

  @ParameterizedTest
  @CsvSource({"25,1000", "2000,2000", "90000,60000", "0,1000"})
  @DisplayName("B27: the provider's wait replaces the fallback, within the same bounds")
  void hint(long hint, long wait) {
    assertThat(
            rotation().suggestedMs(directive(null), Replies.rateLimit(Duration.ofMillis(hint)), 5))
        .isEqualTo(wait);
    assertThat(rotation().suggestedMs(directive((double) hint), Replies.rateLimit(null), 5))
        .isEqualTo(wait);
  }

  @ParameterizedTest
  @CsvSource({
    "7000,2000,7000",
    "NaN,2000,2000",
    "Infinity,2000,2000",
    "-5,2000,2000",
    "NaN,-5,4000",
    "1500.4,2000,1500",
    "1500.6,2000,1501"
  })
  @DisplayName("B28: backoffMs before retryAfterMs before the fallback; nonsense is ignored")
  void precedence(double backoff, long retryAfter, long wait) {
    CallResult.Failed failure = Replies.rateLimit(Duration.ofMillis(retryAfter));
    assertThat(rotation().suggestedMs(directive(backoff), failure, 4)).isEqualTo(wait);
  }

  @Test
  @DisplayName("B29, B30: one wait after a rotation of rate limits, as long as the longest hint")
  void longestHint() {
    Bench bench = Bench.with(Replies.rateLimit(Duration.ofSeconds(2)), Replies.report());
    bench.target("two", Replies.rateLimit(Duration.ofSeconds(7)));

    bench.run();

    assertThat(bench.sleeper.millis).containsExactly(7000L);
  }

  @Test
  @DisplayName("B31: no wait where one target of the rotation failed otherwise")
  void partial() {
    Bench bench = Bench.with(Replies.rateLimit(null), Replies.report());
    bench.target("two", Replies.network());

    bench.run();

    assertThat(bench.sleeper.millis).isEmpty();
  }

  @Test
  @DisplayName("B32: the wait is in the log before it begins")
  void logged() {
    Bench bench = Bench.with(Replies.rateLimit(null), Replies.report());
    bench.listeners.add(
        event -> {
          if (event instanceof SessionEvent.Logged line && line.source().equals("agent:retry")) {
            assertThat(bench.sleeper.millis).isEmpty();
          }
        });

    bench.run();

    assertThat(bench.log()).contains("WRN agent:retry waiting 1000 ms before attempt 2");
    assertThat(bench.sleeper.millis).containsExactly(1000L);
  }

  @Test
  @DisplayName("B33, B74: the counters begin anew with every rotation")
  void resets() {
    Bench bench = Bench.with(Replies.rateLimit(null), Replies.network()).maxRetries(5);
    bench.target("two", Replies.network(), Replies.rateLimit(null));

    bench.run();

    assertThat(bench.tried()).hasSize(5);
    assertThat(bench.sleeper.millis).isEmpty();
  }

  @Test
  @DisplayName("B33: the longest wait is forgotten with the rotation it was asked for in")
  void longestIsForgotten() {
    Bench bench =
        Bench.with(
            Replies.rateLimit(Duration.ofSeconds(30)), Replies.rateLimit(null), Replies.report());
    bench.target("two", Replies.network(), Replies.rateLimit(null));
    bench.maxRetries(6);

    bench.run();

    assertThat(bench.sleeper.millis).containsExactly(4000L);
  }

  @Test
  @DisplayName("B30, B74: several rotations of rate limits wait once each")
  void cycles() {
    Bench bench = Bench.with(Replies.rateLimit(null)).maxRetries(5);
    bench.target("two", Replies.rateLimit(null));

    bench.run();

    assertThat(bench.sleeper.millis).containsExactly(2000L, 4000L);
  }

  @Test
  @DisplayName("B34: fewer attempts than targets never make a rotation")
  void fewerAttempts() {
    Bench bench = Bench.with(Replies.rateLimit(null));
    bench.target("two", Replies.rateLimit(null));
    bench.target("three", Replies.rateLimit(null));
    bench.target("four", Replies.rateLimit(null));

    bench.run();

    assertThat(bench.calls()).isEqualTo(3);
    assertThat(bench.sleeper.millis).isEmpty();
  }

  @Test
  @DisplayName("B35: nobody waits for an attempt that does not come")
  void lastAttempt() {
    Bench bench = Bench.with(Replies.rateLimit(null)).maxRetries(1);

    bench.run();

    assertThat(bench.sleeper.millis).isEmpty();
  }

  @Test
  @DisplayName("B36: a stop during the wait ends the session at once")
  void stopWhileWaiting() throws Exception {
    Bench bench = Bench.with(Replies.rateLimit(Duration.ofSeconds(60)));
    bench.sleeper.blocks = true;
    Running running = Running.start(bench);
    bench.sleeper.blocked.await();

    bench.session().stop();

    assertThat(running.result()).isEqualTo(new SessionResult.Stopped());
    assertThat(bench.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("B37: a cancel ends the wait of a directive as well")
  void cancelWhileWaiting() throws Exception {
    Bench bench = Bench.with(Replies.network());
    bench.directives = (target, failure) -> directive(30_000.0);
    bench.sleeper.blocks = true;
    Running running = Running.start(bench);
    bench.sleeper.blocked.await();

    bench.session().abort();

    assertThat(running.result()).isEqualTo(new SessionResult.Cancelled());
    assertThat(running.interruptedAfterwards()).isFalse();
    assertThat(bench.calls()).isEqualTo(1);
    assertThat(bench.sleeper.millis).containsExactly(30_000L);
  }

  @Test
  @DisplayName("B36: an interrupt from outside cancels, and stays to be seen")
  void interruptWhileWaiting() throws Exception {
    Bench bench = Bench.with(Replies.rateLimit(null));
    bench.sleeper.blocks = true;
    Running running = Running.start(bench);
    bench.sleeper.blocked.await();

    running.interrupt();

    assertThat(running.result()).isEqualTo(new SessionResult.Cancelled());
    assertThat(running.interruptedAfterwards()).isTrue();
  }

  @Test
  @DisplayName("B38: who is stopped or cancelled beforehand calls nobody and does not wait")
  void beforehand() {
    Bench stopped = Bench.with(Replies.report());
    stopped.session().stop();
    Bench cancelled = Bench.with(Replies.report());
    cancelled.session().abort();

    assertThat(stopped.run()).isEqualTo(new SessionResult.Stopped());
    assertThat(cancelled.run()).isEqualTo(new SessionResult.Cancelled());
    assertThat(stopped.calls() + cancelled.calls()).isZero();
  }

  @Test
  @DisplayName("B38: a stop during an attempt is seen before the wait and before the next attempt")
  void betweenAttempts() {
    Bench bench = new Bench();
    bench
        .target("one")
        .then(
            request -> {
              bench.session().stop();
              return Replies.rateLimit(null);
            });

    assertThat(bench.run()).isEqualTo(new SessionResult.Stopped());
    assertThat(bench.sleeper.millis).isEmpty();
    assertThat(bench.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("B39: the next attempt does not begin before the wait is over")
  void respected() {
    Bench bench = new Bench();
    bench
        .target("one")
        .then(Replies.rateLimit(Duration.ofSeconds(9)))
        .then(
            request -> {
              assertThat(bench.nanos.get()).isEqualTo(Duration.ofSeconds(9).toNanos());
              return Replies.report();
            });

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);
  }

  @ParameterizedTest
  @CsvSource({
    "RATE_LIMIT,true,RETRY,",
    "AUTH_ERROR,false,ABORT,",
    "QUOTA_EXCEEDED,false,ABORT,",
    "TIMEOUT,true,RETRY,",
    "NETWORK_ERROR,true,RETRY,",
    "MODEL_ERROR,true,RETRY,",
    "MODEL_ERROR,false,SKIP_PROVIDER,",
    "INVALID_RESPONSE,true,RETRY,"
  })
  @DisplayName("B40, B41, T7: the table of fallback directives")
  void table(FailureKind kind, boolean retryable, RetryDirective.Action action) {
    assertThat(new FallbackDirectives(false, false).after(Replies.failed(kind, retryable, "x"), 1))
        .isEqualTo(RetryDirective.of(action, null));
  }

  @Test
  @DisplayName("B41: a rate limit carries its hint; network waits are an option")
  void options() {
    assertThat(
            new FallbackDirectives(false, false)
                .after(Replies.rateLimit(Duration.ofSeconds(3)), 1)
                .backoffMs())
        .isEqualTo(3000.0);
    FallbackDirectives waiting = new FallbackDirectives(true, false);
    assertThat(
            List.of(1, 2, 29, 500).stream()
                .map(attempt -> waiting.after(Replies.network(), attempt).backoffMs())
                .toList())
        .containsExactly(2000.0, 3000.0, 30000.0, 30000.0);
  }
}
