package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.session.event.RetryTexts;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEvent.AutoRetryDeferred;
import dev.holdfast.session.event.SessionEvent.AutoRetryEnd;
import dev.holdfast.session.event.SessionEvent.AutoRetryStart;
import dev.holdfast.session.event.SessionEvents;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.Exhausted;
import dev.holdfast.session.report.ExitCode;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.AutoRetry;
import dev.holdfast.session.retry.AutoRetrySettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** D-2: the life of a chain of retries. One attempt per turn, so that the numbers are D's alone. */
class AutoRetryTest {
  private static final String WORDS = "model error 503: Service Unavailable";

  private static Bench bench(CallResult... script) {
    return Bench.with(script).autoRetry().maxRetries(1);
  }

  private static Bench failing(int times, CallResult... then) {
    List<CallResult> script = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      script.add(Replies.overloaded());
    }
    script.addAll(List.of(then));
    return bench(script.toArray(CallResult[]::new));
  }

  private static Bench maxRetries(Bench bench, int max) {
    AutoRetrySettings before = bench.settings.autoRetry();
    bench.settings =
        bench.settings.withAutoRetry(
            new AutoRetrySettings(true, max, before.baseDelay(), false, false));
    return bench;
  }

  private static List<SessionEvent> retryEvents(Bench bench) {
    return bench.events.stream()
        .filter(each -> each instanceof AutoRetryStart || each instanceof AutoRetryEnd)
        .toList();
  }

  private static void assertOver(Bench bench) {
    assertThat(bench.session().isRetrying()).isFalse();
    assertThat(bench.session().retryEnd().toCompletableFuture()).isDone();
  }

  @Test
  @DisplayName("D26: on by default, with three retries from two seconds on")
  void defaults() {
    assertThat(SessionSettings.of("").autoRetry())
        .isEqualTo(new AutoRetrySettings(true, 3, Duration.ofMillis(2000), false, false));
  }

  @Test
  @DisplayName("D13, D15, D16, D39: 2, 4 and 8 seconds, one start each, one end")
  void delays() {
    Bench bench = failing(3, Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.sleeper.millis).containsExactly(2000L, 4000L, 8000L);
    assertThat(retryEvents(bench))
        .containsExactly(
            new AutoRetryStart(1, 3, 2000, WORDS),
            new AutoRetryStart(2, 3, 4000, WORDS),
            new AutoRetryStart(3, 3, 8000, WORDS),
            new AutoRetryEnd(true, 3, null));
    assertOver(bench);
  }

  @Test
  @DisplayName("D16: the start is told before the wait")
  void startBeforeSleep() {
    Bench bench = failing(1, Replies.report());
    List<Integer> sleptAtStart = new ArrayList<>();
    bench.listeners.add(
        event -> {
          if (event instanceof AutoRetryStart) {
            sleptAtStart.add(bench.sleeper.millis.size());
          }
        });

    bench.run();

    assertThat(sleptAtStart).containsExactly(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  @DisplayName(
      "D10, D12, D20, D40, T1: n retries mean n+1 executions; the end names the last retry")
  void exhausted(int max) {
    Bench bench = maxRetries(bench(Replies.overloaded()), max);

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(bench.calls()).isEqualTo(max + 1);
    assertThat(retryEvents(bench).getLast()).isEqualTo(new AutoRetryEnd(false, max, WORDS));
    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
    assertThat(failed.exit()).isEqualTo(ExitCode.NO_LLM_RESPONSE);
    assertThat(failed.exhaustedBy()).isEqualTo(new Exhausted("session", max + 1));
    assertOver(bench);
  }

  @Test
  @DisplayName("Composition: turns and retries multiply for a plain 500 only, and it is counted")
  void amplification() {
    Bench bench =
        Bench.with(Replies.status(FailureKind.MODEL_ERROR, 500, "Internal Server Error"))
            .autoRetry();

    bench.run();

    assertThat(bench.calls()).isEqualTo(3 * 4);
    assertThat(bench.events(SessionEvent.RetryAmplified.class)).hasSize(3);
  }

  @Test
  @DisplayName("Composition: skip-if-exhausted-below passes the turn's error up at once")
  void skipIfExhausted() {
    Bench bench = bench(Replies.overloaded());
    bench.settings =
        bench.settings.withAutoRetry(
            new AutoRetrySettings(true, 3, Duration.ofSeconds(2), false, true));

    assertThat(bench.runToFailure().exhaustedBy()).isEqualTo(new Exhausted("turn", 1));
    assertThat(bench.calls()).isEqualTo(1);
    assertThat(retryEvents(bench)).isEmpty();
  }

  @Test
  @DisplayName("D9, D40: disabled, there is no retry and no event")
  void disabled() {
    Bench bench = bench(Replies.overloaded());
    bench.session().setAutoRetryEnabled(false);

    bench.run();

    assertThat(bench.calls()).isEqualTo(1);
    assertThat(retryEvents(bench)).isEmpty();
    assertThat(bench.session().autoRetryEnabled()).isFalse();
  }

  @Test
  @DisplayName("D40: an error that is not in the set is not retried")
  void notClassified() {
    Bench bench = bench(Replies.failed(FailureKind.TIMEOUT, true, "no answer in time"));

    bench.run();

    assertThat(bench.calls()).isEqualTo(1);
    assertThat(retryEvents(bench)).isEmpty();
  }

  @Test
  @DisplayName("T4: a refused key is not retried, whatever its message says")
  void authError() {
    Bench bench = bench(Replies.failed(FailureKind.AUTH_ERROR, false, "429 rate limit"));

    bench.run();

    assertThat(bench.calls()).isEqualTo(1);
    assertThat(retryEvents(bench)).isEmpty();
  }

  @Test
  @DisplayName("D17, T15: the error is in the journal and never shown to a model")
  void errorStripped() {
    Bench bench = bench(Replies.look("a"), Replies.overloaded(), Replies.report());

    bench.run();

    assertThat(bench.sent(2)).isEqualTo(bench.sent(1));
    assertThat(bench.entries(JournalEntry.TurnFailed.class))
        .extracting(JournalEntry.TurnFailed::message)
        .containsExactly(WORDS);
  }

  @Test
  @DisplayName("D18: the retry does not run inside the handler of the error, nor of an event")
  void stack() {
    Bench bench = new Bench().autoRetry().maxRetries(1);
    List<String> frames = new ArrayList<>();
    bench
        .target("one")
        .then(Replies.overloaded())
        .then(
            request -> {
              StackWalker.getInstance().forEach(frame -> frames.add(frame.getClassName()));
              return Replies.report();
            });

    bench.run();

    assertThat(frames)
        .isNotEmpty()
        .doesNotContain(AutoRetry.class.getName(), SessionEvents.class.getName());
  }

  @Test
  @DisplayName("D19, D20: the first good answer ends the chain with its number")
  void success() {
    Bench bench = failing(2, Replies.report());

    bench.run();

    assertThat(bench.events(AutoRetryEnd.class)).containsExactly(new AutoRetryEnd(true, 2, null));
  }

  @Test
  @DisplayName("D23: the promise is kept only when the tools of the retried turn have run")
  void promiseCoversTools() {
    Bench bench = failing(1, Replies.look("a"), Replies.report());
    List<Boolean> retrying = new ArrayList<>();
    bench.tools.reaction =
        call -> {
          retrying.add(bench.session().isRetrying());
          assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
          return new dev.holdfast.tool.ToolReply(
              call, dev.holdfast.tool.ToolReply.Outcome.OK, "", 1);
        };

    bench.run();

    assertThat(retrying).containsExactly(true);
    assertOver(bench);
  }

  @Test
  @DisplayName("D24, D25: a later chain counts from one again")
  void secondChain() {
    Bench bench =
        failing(2, Replies.look("a"), Replies.overloaded(), Replies.overloaded(), Replies.report());

    bench.run();

    assertThat(bench.events(AutoRetryStart.class))
        .extracting(AutoRetryStart::attempt)
        .containsExactly(1, 2, 1, 2);
    assertThat(bench.events(AutoRetryEnd.class))
        .containsExactly(new AutoRetryEnd(true, 2, null), new AutoRetryEnd(true, 2, null));
  }

  @Test
  @DisplayName("D20, D24: after a chain that was used up, the next prompt begins a fresh one")
  void freshAfterExhaustion() {
    Bench bench = maxRetries(failing(2, Replies.overloaded(), Replies.report()), 1);

    assertThat(bench.run()).isInstanceOf(SessionResult.Failed.class);
    assertThat(bench.session().run(List.of(new Input("more", "again"))))
        .isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.events(AutoRetryStart.class))
        .extracting(AutoRetryStart::attempt)
        .containsExactly(1, 1);
  }

  @Test
  @DisplayName("D22, D21: another error behind a retry ends the chain as a failure with that error")
  void otherErrorAfterRetry() {
    Bench bench = failing(1, Replies.failed(FailureKind.AUTH_ERROR, false, "key revoked"));

    assertThat(bench.runToFailure().exit()).isEqualTo(ExitCode.AUTH_FAILURE);

    assertThat(bench.events(AutoRetryEnd.class))
        .containsExactly(new AutoRetryEnd(false, 1, "auth error: key revoked"));
    assertOver(bench);
  }

  @Test
  @DisplayName("D22, D38: a retry whose ticket is put off has not failed; its end says until when")
  void putOff() {
    Bench bench = failing(1, Replies.closed(Duration.ofMinutes(6)));

    assertThat(bench.run()).isInstanceOf(SessionResult.StoodStill.class);

    assertThat(bench.events(AutoRetryEnd.class)).isEmpty();
    assertThat(bench.events(AutoRetryDeferred.class))
        .containsExactly(new AutoRetryDeferred(1, Duration.ofMinutes(6), "one: rate_limit"))
        .first()
        .extracting(RetryTexts::deferred)
        .isEqualTo("Retry 1 is put off for 360s: one: rate_limit");
    assertOver(bench);
  }

  @Test
  @DisplayName("D21: retries switched off in the middle end the chain")
  void disabledInTheMiddle() {
    Bench bench = new Bench().autoRetry().maxRetries(1);
    bench
        .target("one")
        .then(Replies.overloaded())
        .then(
            request -> {
              bench.session().setAutoRetryEnabled(false);
              return Replies.overloaded();
            });

    bench.run();

    assertThat(bench.events(AutoRetryEnd.class)).containsExactly(new AutoRetryEnd(false, 1, WORDS));
    assertOver(bench);
  }

  @Test
  @DisplayName("D21: an overflow behind a retry ends the chain")
  void overflowAfterRetry() {
    Bench bench =
        failing(1, Replies.failed(FailureKind.CONTEXT_OVERFLOW, false, "prompt is too long"));

    bench.run();

    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
    assertOver(bench);
  }

  @Test
  @DisplayName("D21: an exception of ours ends the chain")
  void internalThrow() {
    Bench bench = failing(1, Replies.look("a"));
    bench.tools.reaction =
        call -> {
          throw new IllegalStateException("tool box is broken");
        };

    assertThatThrownBy(bench::run).hasMessage("tool box is broken");

    assertOver(bench);
    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
  }

  @Test
  @DisplayName("No retry sleeps past the deadline, and the true cause stays to be seen")
  void deadline() {
    Bench bench = bench(Replies.overloaded());
    bench.timeAllowed = Duration.ofSeconds(5);

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(bench.sleeper.millis).containsExactly(2000L);
    assertThat(failed.error()).isEqualTo(WORDS);
    assertThat(retryEvents(bench).getLast()).isEqualTo(new AutoRetryEnd(false, 1, WORDS));
  }

  @Test
  @DisplayName("D41: a listener that throws breaks nothing")
  void throwingListener() {
    Bench bench = failing(2, Replies.look("a"), Replies.report());
    bench.listeners.addFirst(
        event -> {
          throw new IllegalStateException("listener is broken");
        });

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);
    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
  }

  @Test
  @DisplayName("D17: what a retried turn was told before stays in its next request")
  void noticesSurvive() {
    Bench bench =
        Bench.with(Replies.text("hi"), Replies.overloaded(), Replies.report()).autoRetry();
    bench.maxRetries(2);

    bench.run();

    assertThat(bench.sent(2)).singleElement().isInstanceOf(Message.User.class);
  }
}
