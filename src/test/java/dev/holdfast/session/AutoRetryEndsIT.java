package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Standstill;
import dev.holdfast.session.event.RetryTexts;
import dev.holdfast.session.event.SessionEvent.AutoRetryDeferred;
import dev.holdfast.session.event.SessionEvent.AutoRetryEnd;
import dev.holdfast.session.event.SessionEvent.AutoRetryStart;
import dev.holdfast.session.report.Exhausted;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How a chain of retries ends, and that it does, behind the guard of a worker with default
 * settings.
 */
@WithDatabase
@Timeout(120)
class AutoRetryEndsIT {
  private final GuardedBenches benches;

  AutoRetryEndsIT(TestDatabase database) {
    this.benches = new GuardedBenches(database);
  }

  @BeforeEach
  void open() {
    benches.openAll();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  @DisplayName(
      "D10, D12, D20, D40, T1: n retries mean n+1 executions; the end names the last retry")
  void exhausted(int max) {
    Bench bench = GuardedBenches.maxRetries(benches.bench(Replies.broken()), max);

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(bench.calls()).isEqualTo(max + 1);
    assertThat(GuardedBenches.retryEvents(bench).getLast())
        .isEqualTo(new AutoRetryEnd(false, max, GuardedBenches.WORDS));
    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
    assertThat(failed.exit()).isEqualTo(SessionExitCode.NO_LLM_RESPONSE);
    assertThat(failed.exhaustedBy()).isEqualTo(new Exhausted("session", max + 1));
  }

  @Test
  @DisplayName("D19, D20: the first good answer ends the chain with its number")
  void success() {
    Bench bench = benches.failing(2, Replies.report());

    bench.run();

    assertThat(bench.events(AutoRetryEnd.class)).containsExactly(new AutoRetryEnd(true, 2, null));
  }

  @Test
  @DisplayName("D20, D24: after a chain that was used up, the next attempt begins a fresh one")
  void freshAfterExhaustion() {
    Bench bench = GuardedBenches.maxRetries(benches.bench(Replies.broken()), 1);
    assertThat(bench.run()).isInstanceOf(SessionResult.Failed.class);
    Bench next = GuardedBenches.maxRetries(benches.failing(1, Replies.report()), 1);
    next.journal = bench.journal;

    assertThat(next.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(next.events(AutoRetryStart.class))
        .extracting(AutoRetryStart::attempt)
        .containsExactly(1);
  }

  @Test
  @DisplayName("D22, D21: another error behind a retry ends the chain as a failure with that error")
  void otherErrorAfterRetry() {
    Bench bench =
        benches.failing(1, Replies.status(FailureKind.MODEL_ERROR, 400, "no such parameter"));

    assertThat(bench.runToFailure().error()).isEqualTo("model error 400: no such parameter");

    assertThat(bench.calls()).isEqualTo(2);
    assertThat(bench.events(AutoRetryEnd.class))
        .containsExactly(new AutoRetryEnd(false, 1, "model error 400: no such parameter"));
  }

  @Test
  @DisplayName("D22, T4: a key that is refused behind a retry is a person's; the retry waits")
  void refusedKeyAfterRetry() {
    Bench bench = benches.failing(1, Replies.failed(FailureKind.AUTH_ERROR, false, "key revoked"));

    assertThat(bench.run())
        .isInstanceOfSatisfying(
            SessionResult.StoodStill.class,
            still -> assertThat(still.why().kind()).isEqualTo(Standstill.Kind.ACCOUNT));

    assertThat(bench.events(AutoRetryEnd.class)).isEmpty();
    assertThat(bench.events(AutoRetryDeferred.class))
        .singleElement()
        .satisfies(each -> assertThat(each.delay()).isNull())
        .satisfies(each -> assertThat(each.why()).contains("auth (key revoked)"));
  }

  @Test
  @DisplayName("D22, D38: a retry whose ticket is put off has not failed; its end says until when")
  void putOff() {
    Bench bench = benches.failing(1, Replies.rateLimit(Duration.ofMinutes(6)));

    assertThat(bench.run()).isInstanceOf(SessionResult.StoodStill.class);

    assertThat(bench.events(AutoRetryEnd.class)).isEmpty();
    assertThat(bench.events(AutoRetryDeferred.class))
        .singleElement()
        .extracting(RetryTexts::deferred)
        .asString()
        .matches("Retry 1 is put off for (35\\d|360)s: one.*: rate_limit \\(slow down\\)");
  }

  @Test
  @DisplayName("D21: retries switched off in the middle end the chain")
  void disabledInTheMiddle() {
    Bench bench = benches.guarded(new Bench()).maxRetries(1);
    bench
        .target("one")
        .then(Replies.broken())
        .then(
            request -> {
              bench.session().setAutoRetryEnabled(false);
              return Replies.broken();
            });

    bench.run();

    assertThat(bench.events(AutoRetryEnd.class))
        .containsExactly(new AutoRetryEnd(false, 1, GuardedBenches.WORDS));
  }

  @Test
  @DisplayName("D21: an overflow behind a retry ends the chain")
  void overflowAfterRetry() {
    Bench bench =
        benches.failing(
            1, Replies.failed(FailureKind.CONTEXT_OVERFLOW, false, "prompt is too long"));

    bench.run();

    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
  }

  @Test
  @DisplayName("D21: an exception of ours ends the chain")
  void internalThrow() {
    Bench bench = benches.failing(1, Replies.look("a"));
    bench.tools.reaction =
        call -> {
          throw new IllegalStateException("tool box is broken");
        };

    assertThatThrownBy(bench::run).hasMessage("tool box is broken");

    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
  }

  @Test
  @DisplayName("No retry sleeps past the deadline, and the true cause stays to be seen")
  void deadline() {
    Bench bench = benches.bench(Replies.broken());
    bench.timeAllowed = Duration.ofSeconds(5);

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(bench.sleeper.millis).containsExactly(2000L);
    assertThat(failed.error()).isEqualTo(GuardedBenches.WORDS);
    assertThat(GuardedBenches.retryEvents(bench).getLast())
        .isEqualTo(new AutoRetryEnd(false, 1, GuardedBenches.WORDS));
  }

  @Test
  @DisplayName("D41: a listener that throws breaks nothing")
  void throwingListener() {
    Bench bench = benches.failing(2, Replies.look("a"), Replies.report());
    bench.listeners.addFirst(
        event -> {
          throw new IllegalStateException("listener is broken");
        });

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);
    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
  }
}
