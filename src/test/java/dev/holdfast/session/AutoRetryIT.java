package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEvent.AutoRetryEnd;
import dev.holdfast.session.event.SessionEvent.AutoRetryStart;
import dev.holdfast.session.event.SessionEvents;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.Exhausted;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.AutoRetry;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.testing.TestDatabase;
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

/**
 * D-2: when a chain of retries begins, and how it waits and counts, behind the guard of a worker
 * with default settings.
 */
@WithDatabase
@Timeout(120)
class AutoRetryIT {
  private final GuardedBenches benches;

  AutoRetryIT(TestDatabase database) {
    this.benches = new GuardedBenches(database);
  }

  @BeforeEach
  void open() {
    benches.openAll();
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
    Bench bench = benches.failing(3, Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.sleeper.millis).containsExactly(2000L, 4000L, 8000L);
    assertThat(GuardedBenches.retryEvents(bench))
        .containsExactly(
            new AutoRetryStart(1, 3, 2000, GuardedBenches.WORDS),
            new AutoRetryStart(2, 3, 4000, GuardedBenches.WORDS),
            new AutoRetryStart(3, 3, 8000, GuardedBenches.WORDS),
            new AutoRetryEnd(true, 3, null));
  }

  @Test
  @DisplayName("D16: the start is told before the wait")
  void startBeforeSleep() {
    Bench bench = benches.failing(1, Replies.report());
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

  @Test
  @DisplayName("Composition: turns and retries multiply for a plain 500 only, and it is counted")
  void amplification() {
    Bench bench = benches.guarded(Bench.with(Replies.broken()));

    bench.run();

    assertThat(bench.calls()).isEqualTo(3 * 4);
    assertThat(bench.events(SessionEvent.RetryAmplified.class)).hasSize(3);
  }

  @Test
  @DisplayName("Composition: a 503 that lasts is the provider's; no turn is run again for it")
  void outage() {
    Bench bench = benches.guarded(Bench.with(Replies.overloaded()));

    assertThat(bench.run()).isInstanceOf(SessionResult.StoodStill.class);

    assertThat(bench.calls()).isEqualTo(3);
    assertThat(GuardedBenches.retryEvents(bench)).isEmpty();
  }

  @Test
  @DisplayName("Composition: skip-if-exhausted-below passes the turn's error up at once")
  void skipIfExhausted() {
    Bench bench = benches.bench(Replies.broken());
    bench.settings =
        bench.settings.withAutoRetry(
            new AutoRetrySettings(true, 3, Duration.ofSeconds(2), false, true));

    assertThat(bench.runToFailure().exhaustedBy()).isEqualTo(new Exhausted("turn", 1));
    assertThat(bench.calls()).isEqualTo(1);
    assertThat(GuardedBenches.retryEvents(bench)).isEmpty();
  }

  @Test
  @DisplayName("D9, D40: disabled, there is no retry and no event")
  void disabled() {
    Bench bench = benches.bench(Replies.broken());
    bench.session().setAutoRetryEnabled(false);

    bench.run();

    assertThat(bench.calls()).isEqualTo(1);
    assertThat(GuardedBenches.retryEvents(bench)).isEmpty();
  }

  @Test
  @DisplayName("D40: an error that is not in the set is not retried")
  void notClassified() {
    Bench bench = benches.bench(Replies.failed(FailureKind.TIMEOUT, true, "no answer in time"));

    bench.run();

    assertThat(bench.calls()).isEqualTo(1);
    assertThat(GuardedBenches.retryEvents(bench)).isEmpty();
  }

  @Test
  @DisplayName("T4: a refused key is not retried, whatever its message says")
  void authError() {
    Bench bench = benches.bench(Replies.failed(FailureKind.AUTH_ERROR, false, "429 rate limit"));

    bench.run();

    assertThat(bench.calls()).isEqualTo(1);
    assertThat(GuardedBenches.retryEvents(bench)).isEmpty();
  }

  @Test
  @DisplayName("D17, T15: the error is in the journal and never shown to a model")
  void errorStripped() {
    Bench bench = benches.bench(Replies.look("a"), Replies.broken(), Replies.report());

    bench.run();

    assertThat(bench.sent(2)).isEqualTo(bench.sent(1));
    assertThat(bench.entries(JournalEntry.TurnFailed.class))
        .extracting(JournalEntry.TurnFailed::message)
        .containsExactly(GuardedBenches.WORDS);
  }

  @Test
  @DisplayName("D18: the retry does not run inside the handler of the error, nor of an event")
  void stack() {
    Bench bench = benches.guarded(new Bench()).maxRetries(1);
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
  @DisplayName("D23: the end is told before the tools of the retried turn run; run waits for them")
  void runCoversTools() throws Exception {
    Bench bench = benches.failing(1, Replies.look("a"), Replies.report());
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
        benches.failing(2, Replies.look("a"), Replies.broken(), Replies.broken(), Replies.report());

    bench.run();

    assertThat(bench.events(AutoRetryStart.class))
        .extracting(AutoRetryStart::attempt)
        .containsExactly(1, 2, 1, 2);
    assertThat(bench.events(AutoRetryEnd.class))
        .containsExactly(new AutoRetryEnd(true, 2, null), new AutoRetryEnd(true, 2, null));
  }

  @Test
  @DisplayName("D17: what a retried turn was told before stays in its next request")
  void noticesSurvive() {
    Bench bench =
        benches.guarded(Bench.with(Replies.text("hi"), Replies.broken(), Replies.report()));
    bench.maxRetries(2);

    bench.run();

    assertThat(bench.sent(2)).singleElement().isInstanceOf(Message.User.class);
  }
}
