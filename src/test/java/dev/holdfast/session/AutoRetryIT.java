package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.account.AccountBook;
import dev.holdfast.llm.account.AccountListener;
import dev.holdfast.llm.account.AccountSettings;
import dev.holdfast.llm.account.Accounts;
import dev.holdfast.postgres.session.PostgresAccountStore;
import dev.holdfast.session.event.RetryTexts;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEvent.AutoRetryDeferred;
import dev.holdfast.session.event.SessionEvent.AutoRetryEnd;
import dev.holdfast.session.event.SessionEvent.AutoRetryStart;
import dev.holdfast.session.event.SessionEvents;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.Exhausted;
import dev.holdfast.session.report.ExitCode;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.AutoRetry;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.tool.ToolReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * D-2: the life of a chain of retries, behind the guard of a worker with default settings. One
 * attempt per turn, so that the numbers are D's alone.
 */
@WithDatabase
@Timeout(60)
@EverySetup
class AutoRetryIT {
  private static final String WORDS = "model error 500: Internal Server Error";

  private final TestDatabase database;

  AutoRetryIT(TestDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void open() {
    new TicketDatabase(database).run("DELETE FROM holdfast.provider_cooldowns");
  }

  private Bench guarded(Bench bench) {
    PostgresAccountStore store =
        new PostgresAccountStore(
            database.dataSource(), "holdfast", AccountSettings.DEFAULT, "worker");
    AccountBook book = new AccountBook(store, AccountSettings.DEFAULT, bench.nanos::get, () -> 0);
    bench.guard = new Accounts(book, bench.sleeper, AccountListener.NONE);
    return bench.autoRetry();
  }

  private Bench bench(CallResult... script) {
    return guarded(Bench.with(script)).maxRetries(1);
  }

  private Bench failing(int times, CallResult... then) {
    List<CallResult> script = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      script.add(Replies.broken());
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
    Bench bench = maxRetries(bench(Replies.broken()), max);

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(bench.calls()).isEqualTo(max + 1);
    assertThat(retryEvents(bench).getLast()).isEqualTo(new AutoRetryEnd(false, max, WORDS));
    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
    assertThat(failed.exit()).isEqualTo(ExitCode.NO_LLM_RESPONSE);
    assertThat(failed.exhaustedBy()).isEqualTo(new Exhausted("session", max + 1));
  }

  @Test
  @DisplayName("Composition: turns and retries multiply for a plain 500 only, and it is counted")
  void amplification() {
    Bench bench = guarded(Bench.with(Replies.broken()));

    bench.run();

    assertThat(bench.calls()).isEqualTo(3 * 4);
    assertThat(bench.events(SessionEvent.RetryAmplified.class)).hasSize(3);
  }

  @Test
  @DisplayName("Composition: a 503 that lasts is the provider's; no turn is run again for it")
  void outage() {
    Bench bench = guarded(Bench.with(Replies.overloaded()));

    assertThat(bench.run()).isInstanceOf(SessionResult.StoodStill.class);

    assertThat(bench.calls()).isEqualTo(3);
    assertThat(retryEvents(bench)).isEmpty();
  }

  @Test
  @DisplayName("Composition: skip-if-exhausted-below passes the turn's error up at once")
  void skipIfExhausted() {
    Bench bench = bench(Replies.broken());
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
    Bench bench = bench(Replies.broken());
    bench.session().setAutoRetryEnabled(false);

    bench.run();

    assertThat(bench.calls()).isEqualTo(1);
    assertThat(retryEvents(bench)).isEmpty();
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
    Bench bench = bench(Replies.look("a"), Replies.broken(), Replies.report());

    bench.run();

    assertThat(bench.sent(2)).isEqualTo(bench.sent(1));
    assertThat(bench.entries(JournalEntry.TurnFailed.class))
        .extracting(JournalEntry.TurnFailed::message)
        .containsExactly(WORDS);
  }

  @Test
  @DisplayName("D18: the retry does not run inside the handler of the error, nor of an event")
  void stack() {
    Bench bench = guarded(new Bench()).maxRetries(1);
    List<String> frames = new ArrayList<>();
    bench
        .target("one")
        .then(Replies.broken())
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
  @DisplayName("D23: the end is told before the tools of the retried turn run; run waits for them")
  void runCoversTools() throws Exception {
    Bench bench = failing(1, Replies.look("a"), Replies.report());
    CountDownLatch inTool = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    bench.tools.reaction =
        call -> {
          inTool.countDown();
          goOn.await();
          return new ToolReply(call, ToolReply.Outcome.OK, "", 1);
        };
    Running running = Running.start(bench);
    inTool.await();

    assertThat(bench.events(AutoRetryEnd.class)).containsExactly(new AutoRetryEnd(true, 1, null));
    assertThat(running.isDone()).isFalse();

    goOn.countDown();
    assertThat(running.result()).isInstanceOf(SessionResult.Reported.class);
    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
  }

  @Test
  @DisplayName("D24, D25: a later chain counts from one again")
  void secondChain() {
    Bench bench =
        failing(2, Replies.look("a"), Replies.broken(), Replies.broken(), Replies.report());

    bench.run();

    assertThat(bench.events(AutoRetryStart.class))
        .extracting(AutoRetryStart::attempt)
        .containsExactly(1, 2, 1, 2);
    assertThat(bench.events(AutoRetryEnd.class))
        .containsExactly(new AutoRetryEnd(true, 2, null), new AutoRetryEnd(true, 2, null));
  }

  @Test
  @DisplayName("D20, D24: after a chain that was used up, the next attempt begins a fresh one")
  void freshAfterExhaustion() {
    Bench bench = maxRetries(bench(Replies.broken()), 1);
    assertThat(bench.run()).isInstanceOf(SessionResult.Failed.class);
    Bench next = maxRetries(failing(1, Replies.report()), 1);
    next.journal = bench.journal;

    assertThat(next.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(next.events(AutoRetryStart.class))
        .extracting(AutoRetryStart::attempt)
        .containsExactly(1);
  }

  @Test
  @DisplayName("D22, D21: another error behind a retry ends the chain as a failure with that error")
  void otherErrorAfterRetry() {
    Bench bench = failing(1, Replies.status(FailureKind.MODEL_ERROR, 400, "no such parameter"));

    assertThat(bench.runToFailure().error()).isEqualTo("model error 400: no such parameter");

    assertThat(bench.calls()).isEqualTo(2);
    assertThat(bench.events(AutoRetryEnd.class))
        .containsExactly(new AutoRetryEnd(false, 1, "model error 400: no such parameter"));
  }

  @Test
  @DisplayName("D22, T4: a key that is refused behind a retry is a person's; the retry waits")
  void refusedKeyAfterRetry() {
    Bench bench = failing(1, Replies.failed(FailureKind.AUTH_ERROR, false, "key revoked"));

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
    Bench bench = failing(1, Replies.rateLimit(Duration.ofMinutes(6)));

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
    Bench bench = guarded(new Bench()).maxRetries(1);
    bench
        .target("one")
        .then(Replies.broken())
        .then(
            request -> {
              bench.session().setAutoRetryEnabled(false);
              return Replies.broken();
            });

    bench.run();

    assertThat(bench.events(AutoRetryEnd.class)).containsExactly(new AutoRetryEnd(false, 1, WORDS));
  }

  @Test
  @DisplayName("D21: an overflow behind a retry ends the chain")
  void overflowAfterRetry() {
    Bench bench =
        failing(1, Replies.failed(FailureKind.CONTEXT_OVERFLOW, false, "prompt is too long"));

    bench.run();

    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
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

    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
  }

  @Test
  @DisplayName("No retry sleeps past the deadline, and the true cause stays to be seen")
  void deadline() {
    Bench bench = bench(Replies.broken());
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
    Bench bench = guarded(Bench.with(Replies.text("hi"), Replies.broken(), Replies.report()));
    bench.maxRetries(2);

    bench.run();

    assertThat(bench.sent(2)).singleElement().isInstanceOf(Message.User.class);
  }
}
