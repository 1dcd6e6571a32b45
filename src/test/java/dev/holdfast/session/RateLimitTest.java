package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.AutoRetrySettings;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** B-4 and B-5: when the turn runner waits, and how long. */
class RateLimitTest {
  private static CallResult after(long millis) {
    return Replies.rateLimit(Duration.ofMillis(millis));
  }

  @Test
  @DisplayName("B25: waits are from 1 to 60 seconds")
  void constants() {
    assertThat(TurnRunner.SHORTEST_WAIT).isEqualTo(Duration.ofMillis(1000));
    assertThat(TurnRunner.LONGEST_WAIT).isEqualTo(Duration.ofMillis(60000));
  }

  @ParameterizedTest
  @CsvSource({"0,1000", "25,1000", "2000,2000", "60000,60000"})
  @DisplayName("B26, B27: the wait that is asked for is kept, within the bounds")
  void hint(long hint, long wait) {
    Bench bench = Bench.guarded(after(hint), Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.sleeper.millis).containsExactly(wait);
    assertThat(bench.events(SessionEvent.AttemptFinished.class).getFirst().backoff())
        .isEqualTo(Duration.ofMillis(wait));
  }

  @Test
  @DisplayName("B26, B27: a short hint that is over between two looks is waited for all the same")
  void overBetweenLooks() {
    Bench bench = Bench.guarded(after(5), Replies.report());
    bench.provider().behindLook = Duration.ofMillis(6);

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.sleeper.millis).containsExactly(1000L);
  }

  @Test
  @DisplayName("B27: a longer wait than cooldown.wait-in-session is the ticket's")
  void tooLong() {
    Bench bench = Bench.guarded(after(5001), Replies.report());
    bench.provider().waitInSession = Duration.ofSeconds(5);

    assertThat(bench.run())
        .isInstanceOfSatisfying(
            SessionResult.StoodStill.class,
            still -> assertThat(still.why().left()).isEqualTo(Duration.ofMillis(5001)));

    assertThat(bench.sleeper.millis).isEmpty();
    assertThat(bench.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("B29, B30: with all targets closed, one wait, until the first of them opens")
  void firstToOpen() {
    Bench bench = Bench.guarded(after(7000));
    bench.guardedTarget("two", after(2000), Replies.report());

    bench.run();

    assertThat(bench.tried()).containsExactly("one", "two", "two");
    assertThat(bench.sleeper.millis).containsExactly(2000L);
  }

  @Test
  @DisplayName("B27, B30: hints that are over at once are waited for after all targets, not before")
  void overAtOnce() {
    Bench bench = Bench.guarded(after(0), Replies.report());
    bench.guardedTarget("two", after(0), Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.tried()).containsExactly("one", "two", "one");
    assertThat(bench.sleeper.millis).containsExactly(1000L);
  }

  @Test
  @DisplayName(
      "B27, B30: a target whose hint is over at once is asked again once that second is past")
  void openAgain() {
    Bench bench = Bench.guarded(after(0), Replies.report()).maxRetries(4);
    bench
        .target("two")
        .then(
            request -> {
              bench.nanos.addAndGet(Duration.ofSeconds(30).toNanos());
              return Replies.broken();
            });

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.tried()).containsExactly("one", "two", "one");
  }

  @Test
  @DisplayName("B31: no wait while a target is open, whatever it has answered")
  void partial() {
    Bench bench = Bench.guarded(after(2000));
    bench.guardedTarget("two", Replies.network(), Replies.report());

    bench.run();

    assertThat(bench.tried()).containsExactly("one", "two", "two");
    assertThat(bench.sleeper.millis).isEmpty();
  }

  @Test
  @DisplayName("B32: the wait is in the log before it begins")
  void logged() {
    Bench bench = Bench.guarded(after(1000), Replies.report());
    bench.listeners.add(
        event -> {
          if (event instanceof SessionEvent.Logged line && line.source().equals("agent:retry")) {
            assertThat(bench.sleeper.millis).isEmpty();
          }
        });

    bench.run();

    assertThat(bench.log())
        .contains("WRN agent:retry waiting 1000 ms before attempt 2: one: closed");
    assertThat(bench.sleeper.millis).containsExactly(1000L);
  }

  @Test
  @DisplayName("B33, B74, T9: each standstill waits for itself; the tries of the turn bound them")
  void cycles() {
    Bench bench = Bench.guarded(after(3000), after(1000)).maxRetries(4);
    bench.guardedTarget("two", after(2000), after(5000));

    assertThat(bench.run()).isInstanceOf(SessionResult.StoodStill.class);

    assertThat(bench.tried()).containsExactly("one", "two", "two", "one");
    assertThat(bench.sleeper.millis).containsExactly(2000L, 1000L);
  }

  @Test
  @DisplayName("B34, B35: with no try left nobody waits, and a target that is open is still open")
  void fewerAttempts() {
    Bench bench = Bench.guarded(after(1000)).maxRetries(3).autoRetry();
    bench.guardedTarget("two", after(9000));
    bench.guardedTarget("three", after(9000));
    bench.guardedTarget("four", Replies.report());
    bench.settings =
        bench.settings.withAutoRetry(
            new AutoRetrySettings(true, 3, Duration.ofMillis(300), false, false));

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.tried()).containsExactly("one", "two", "three", "four");
    assertThat(bench.sleeper.millis).as("of the auto-retry alone").containsExactly(300L);
  }

  @Test
  @DisplayName("B35: the last try's rate limit is not waited for; the ticket waits")
  void lastAttempt() {
    Bench bench = Bench.guarded(after(1000)).maxRetries(1);

    assertThat(bench.run()).isInstanceOf(SessionResult.StoodStill.class);

    assertThat(bench.calls()).isEqualTo(1);
    assertThat(bench.sleeper.millis).isEmpty();
  }

  @Test
  @DisplayName(
      "D27: a person's order ends the wait; the ticket waits then, and gives its slot back")
  void abortWhileWaiting() throws Exception {
    Bench bench = Bench.guarded(after(30_000), Replies.report());
    bench.sleeper.blocks = true;
    Running running = Running.start(bench);
    bench.sleeper.blocked.await();

    bench.session().abortRetry();

    assertThat(running.result())
        .isInstanceOfSatisfying(
            SessionResult.StoodStill.class,
            still -> assertThat(still.error()).endsWith("slow down"));
    assertThat(running.interruptedAfterwards()).isFalse();
    assertThat(bench.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("D27, D33: whoever may end a wait is told of its beginning and its end")
  void waitsAreTold() {
    Bench bench = Bench.guarded(after(1000), Replies.broken(), Replies.report()).autoRetry();
    bench.maxRetries(2);

    bench.run();

    assertThat(bench.events)
        .filteredOn(
            event ->
                event instanceof SessionEvent.WaitStarted
                    || event instanceof SessionEvent.WaitEnded)
        .containsExactly(
            new SessionEvent.WaitStarted(false),
            new SessionEvent.WaitEnded(),
            new SessionEvent.WaitStarted(true),
            new SessionEvent.WaitEnded());
  }

  @Test
  @DisplayName("B36: a stop during the wait ends the session at once")
  void stopWhileWaiting() throws Exception {
    Bench bench = Bench.guarded(after(60_000));
    bench.sleeper.blocks = true;
    Running running = Running.start(bench);
    bench.sleeper.blocked.await();

    bench.session().stop();

    assertThat(running.result()).isEqualTo(new SessionResult.Stopped());
    assertThat(bench.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("B36, B37: an interrupt from outside ends the wait, cancels, and stays to be seen")
  void interruptWhileWaiting() throws Exception {
    Bench bench = Bench.guarded(after(30_000));
    bench.sleeper.blocks = true;
    Running running = Running.start(bench);
    bench.sleeper.blocked.await();

    running.interrupt();

    assertThat(running.result()).isEqualTo(new SessionResult.Cancelled());
    assertThat(running.interruptedAfterwards()).isTrue();
    assertThat(bench.calls()).isEqualTo(1);
    assertThat(bench.sleeper.millis).containsExactly(30_000L);
  }

  @Test
  @DisplayName("B38: who is stopped beforehand calls nobody and does not wait")
  void beforehand() {
    Bench stopped = Bench.with(Replies.report());
    stopped.session().stop();

    assertThat(stopped.run()).isEqualTo(new SessionResult.Stopped());
    assertThat(stopped.calls()).isZero();
  }

  @Test
  @DisplayName("B38: a stop during an attempt is seen before the wait and before the next attempt")
  void betweenAttempts() {
    Bench bench = new Bench();
    bench
        .guardedTarget("one")
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
        .guardedTarget("one")
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
    "TIMEOUT,true,3",
    "NETWORK_ERROR,true,3",
    "MODEL_ERROR,true,3",
    "MODEL_ERROR,false,3",
    "INVALID_RESPONSE,true,3",
    "RATE_LIMIT,true,1",
    "AUTH_ERROR,false,1",
    "QUOTA_EXCEEDED,false,1",
    "CONTEXT_OVERFLOW,false,1",
    "OUT_OF_BUDGET,false,1"
  })
  @DisplayName("B40, B41, T7: what a failure costs on one target; no wait between the turn's tries")
  void table(FailureKind kind, boolean retryable, int calls) {
    Bench bench = Bench.guarded(Replies.failed(kind, retryable, "x"));
    bench.provider().waitInSession = Duration.ZERO;
    bench.maxTurns(1);

    bench.run();

    assertThat(bench.calls()).isEqualTo(calls);
    assertThat(bench.sleeper.millis).isEmpty();
  }
}
