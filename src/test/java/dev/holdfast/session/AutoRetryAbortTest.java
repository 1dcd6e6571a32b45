package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.session.event.RetryTexts;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEvent.AutoRetryDeferred;
import dev.holdfast.session.event.SessionEvent.AutoRetryEnd;
import dev.holdfast.session.event.SessionEvent.AutoRetryStart;
import dev.holdfast.session.event.SessionEventJson;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.AutoRetry;
import dev.holdfast.session.retry.AutoRetrySettings;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D-2, D-3: what other threads do to a chain of retries, and what people see of it. */
class AutoRetryAbortTest {
  private static Bench waiting() {
    Bench bench = Bench.with(Replies.broken()).autoRetry().maxRetries(1);
    bench.sleeper.blocks = true;
    return bench;
  }

  @Test
  @DisplayName("D11, D27, D28, D32, D40: abortRetry ends the wait; the prompt ends with the error")
  void abortRetry() throws Exception {
    Bench bench = waiting();
    Running running = Running.start(bench);
    bench.sleeper.blocked.await();
    assertThat(running.isDone()).as("D32: prompt() during the wait").isFalse();

    bench.session().abortRetry();

    assertThat(running.result())
        .isInstanceOfSatisfying(
            SessionResult.Failed.class,
            failed -> {
              assertThat(failed.error()).contains("500");
              assertThat(failed.exit()).isEqualTo(SessionExitCode.NO_LLM_RESPONSE);
            });
    assertThat(running.interruptedAfterwards()).isFalse();
    assertThat(bench.events(AutoRetryEnd.class))
        .containsExactly(new AutoRetryEnd(false, 1, "Retry cancelled"));
    assertThat(bench.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "D8, D20: after a cancelled wait the counter stands at zero: a new chain begins at 1")
  void freshChain() throws Exception {
    Bench bench = waiting();
    Running running = Running.start(bench);
    bench.sleeper.blocked.await();
    bench.session().abortRetry();
    running.result();
    bench.sleeper.blocks = false;
    bench.provider().then(Replies.report());

    bench.session().run("again");

    assertThat(bench.events(AutoRetryStart.class).getLast().attempt()).isEqualTo(1);
  }

  @Test
  @DisplayName("D22, B36: a retry that waits while its worker is stopped is put off, not failed")
  void stoppedWhileWaiting() throws Exception {
    Bench bench = waiting();
    Running running = Running.start(bench);
    bench.sleeper.blocked.await();

    bench.session().stop();

    assertThat(running.result()).isInstanceOf(SessionResult.Stopped.class);
    assertThat(bench.events(AutoRetryEnd.class)).isEmpty();
    assertThat(bench.events(AutoRetryDeferred.class))
        .containsExactly(new AutoRetryDeferred(1, null, AutoRetry.STOPPING));
  }

  @Test
  @DisplayName(
      "D20, D39: a retry that a person's hold has cancelled is over: the next chain is new")
  void freshAfterCancel() throws Exception {
    Bench bench = waiting();
    Running running = Running.start(bench);
    bench.sleeper.blocked.await();
    running.interrupt();
    running.result();

    Bench answered = Bench.with(Replies.report()).autoRetry().maxRetries(1);
    answered.journal = new InMemoryJournal(bench.journal.entries());
    answered.run();
    Bench failing = Bench.with(Replies.broken(), Replies.report()).autoRetry().maxRetries(1);
    failing.journal = new InMemoryJournal(bench.journal.entries());
    failing.run();

    assertThat(answered.events(AutoRetryEnd.class)).as("the end was told already").isEmpty();
    assertThat(failing.events(AutoRetryStart.class))
        .extracting(AutoRetryStart::attempt)
        .containsExactly(1);
    assertThat(failing.events(AutoRetryEnd.class)).containsExactly(new AutoRetryEnd(true, 1, null));
  }

  @Test
  @DisplayName("D20, D39: so is one whose call was running then")
  void freshAfterCancelledCall() throws Exception {
    Bench bench = new Bench().autoRetry().maxRetries(1);
    CountDownLatch reached = new CountDownLatch(1);
    bench.target("one").then(Replies.broken()).thenHang(reached::countDown);
    Running running = Running.start(bench);
    reached.await();
    running.interrupt();
    running.result();

    Bench next = Bench.with(Replies.report()).autoRetry().maxRetries(1);
    next.journal = bench.journal;
    next.run();

    assertThat(next.events(AutoRetryEnd.class)).isEmpty();
  }

  /** Its worker is stopped while it makes its second call. */
  private static void brokenWhileStopping(Bench bench) {
    bench
        .target("one")
        .then(Replies.broken())
        .then(
            request -> {
              bench.session().stop();
              return Replies.broken();
            });
  }

  @Test
  @DisplayName("D22, D39: an error of a call that ran while its worker stopped puts the retry off")
  void errorWhileStopping() {
    Bench bench = new Bench().autoRetry().maxRetries(1);
    brokenWhileStopping(bench);

    assertThat(bench.run()).isInstanceOf(SessionResult.Stopped.class);

    assertThat(bench.events(AutoRetryEnd.class)).isEmpty();
    assertThat(bench.events(AutoRetryStart.class))
        .extracting(AutoRetryStart::attempt)
        .containsExactly(1, 2);
    assertThat(bench.events(AutoRetryDeferred.class))
        .containsExactly(new AutoRetryDeferred(2, null, AutoRetry.STOPPING));
    Bench next = Bench.with(Replies.report()).autoRetry().maxRetries(1);
    next.journal = bench.journal;
    next.run();
    assertThat(next.events(AutoRetryEnd.class)).containsExactly(new AutoRetryEnd(true, 2, null));
  }

  @Test
  @DisplayName("D12, D39: retries that are used up while the worker stops end the session")
  void exhaustedWhileStopping() {
    Bench bench = new Bench().autoRetry().maxRetries(1);
    bench.settings =
        bench.settings.withAutoRetry(
            new AutoRetrySettings(true, 1, Duration.ofSeconds(2), false, false));
    brokenWhileStopping(bench);

    assertThat(bench.run()).isInstanceOf(SessionResult.Failed.class);

    assertThat(bench.events(AutoRetryEnd.class)).hasSize(1);
  }

  @Test
  @DisplayName("D29: abortRetry without a retry is harmless, before, during and after")
  void idle() {
    Bench bench = new Bench().autoRetry().maxRetries(1);
    bench
        .target("one")
        .then(
            request -> {
              bench.session().abortRetry();
              return Replies.broken();
            })
        .then(Replies.report());
    bench.session().abortRetry();

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);
    bench.session().abortRetry();

    assertThat(bench.events(AutoRetryEnd.class)).containsExactly(new AutoRetryEnd(true, 1, null));
  }

  @Test
  @DisplayName("D29: an abort between the start and the wait leaves no late retry")
  void abortInListener() {
    Bench bench = Bench.with(Replies.broken()).autoRetry().maxRetries(1);
    bench.listeners.add(
        event -> {
          if (event instanceof AutoRetryStart) {
            bench.session().abortRetry();
          }
        });

    bench.run();

    assertThat(bench.sleeper.millis).isEmpty();
    assertThat(bench.calls()).isEqualTo(1);
    assertThat(bench.events(AutoRetryEnd.class))
        .containsExactly(new AutoRetryEnd(false, 1, "Retry cancelled"));
  }

  @Test
  @DisplayName("D30, D40: an interrupt ends a waiting retry and the session")
  void interruptWhileWaiting() throws Exception {
    Bench bench = waiting();
    Running running = Running.start(bench);
    bench.sleeper.blocked.await();

    running.interrupt();

    assertThat(running.result()).isEqualTo(new SessionResult.Cancelled());
    assertThat(bench.events(AutoRetryEnd.class))
        .containsExactly(new AutoRetryEnd(false, 1, "Retry cancelled"));
    assertThat(bench.entries(JournalEntry.Ended.class)).isEmpty();
  }

  @Test
  @DisplayName("D30: an interrupt of the call that a retry makes ends the call and the chain")
  void interruptedCall() throws Exception {
    Bench bench = new Bench().autoRetry().maxRetries(1);
    CountDownLatch reached = new CountDownLatch(1);
    bench.target("one").then(Replies.broken()).thenHang(reached::countDown);
    Running running = Running.start(bench);
    reached.await();

    running.interrupt();

    assertThat(running.result()).isEqualTo(new SessionResult.Cancelled());
    assertThat(bench.events(AutoRetryEnd.class))
        .containsExactly(new AutoRetryEnd(false, 1, "Retry cancelled"));
    assertThat(bench.events(SessionEvent.AttemptFinished.class).getLast().status())
        .isEqualTo("aborted");
  }

  @Test
  @DisplayName("D31: the words of the wait, with rounded seconds")
  void waitingText() {
    assertThat(RetryTexts.waiting(new AutoRetryStart(2, 3, 4000, "x"), "esc to cancel"))
        .isEqualTo("Retrying (2/3) in 4s… (esc to cancel)");
    assertThat(RetryTexts.waiting(new AutoRetryStart(1, 3, 1499, "x"), "esc to cancel"))
        .contains("in 1s…");
    assertThat(RetryTexts.waiting(new AutoRetryStart(1, 3, 1500, "x"), "esc to cancel"))
        .contains("in 2s…");
  }

  @Test
  @DisplayName("D36, D37: every consumer gets the same fields; finalError only of a failure")
  void json() {
    assertThat(SessionEventJson.of(new AutoRetryStart(1, 3, 2000, "boom")).orElseThrow().toString())
        .isEqualTo(
            "{\"type\":\"auto_retry_start\",\"attempt\":1,\"maxAttempts\":3,\"delayMs\":2000,"
                + "\"errorMessage\":\"boom\"}");
    assertThat(SessionEventJson.of(new AutoRetryEnd(false, 3, "boom")).orElseThrow().toString())
        .isEqualTo(
            "{\"type\":\"auto_retry_end\",\"success\":false,\"attempt\":3,\"finalError\":\"boom\"}");
    assertThat(SessionEventJson.of(new AutoRetryEnd(true, 1, null)).orElseThrow().toString())
        .isEqualTo("{\"type\":\"auto_retry_end\",\"success\":true,\"attempt\":1}");
  }

  @Test
  @DisplayName("D37: three subscribers hear the same events")
  void subscribers() {
    Bench bench = Bench.with(Replies.broken(), Replies.report()).autoRetry().maxRetries(1);
    var second = new java.util.ArrayList<SessionEvent>();
    var third = new java.util.ArrayList<String>();
    bench.listeners.add(second::add);
    bench.listeners.add(
        event ->
            SessionEventJson.of(event)
                .filter(json -> json.path("type").asString().startsWith("auto_retry"))
                .ifPresent(json -> third.add(json.toString())));

    bench.run();

    assertThat(second).isEqualTo(bench.events);
    assertThat(third).hasSize(2);
  }

  @Test
  @DisplayName("D38: the words of a failure")
  void failedText() {
    assertThat(RetryTexts.failed(new AutoRetryEnd(false, 3, "503")))
        .isEqualTo("Retry failed after 3 attempts: 503");
  }
}
