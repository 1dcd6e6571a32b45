package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** B-1 and B-2: the loop of attempts and what each kind of failure does to it. */
class TurnAttemptsTest {
  private static final String INVALID_REPORT = "{\"status\":\"maybe\"}";

  @Test
  @DisplayName("B2: every turn begins with the first target")
  void eachTurnFromTheFirst() {
    Bench bench = Bench.with(Replies.network(), Replies.report());
    bench.target("two", Replies.look("a"));

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.tried()).containsExactly("one", "two", "one");
  }

  @Test
  @DisplayName("B3, B5: attempts go round the targets, one after another")
  void roundRobin() {
    Bench bench = Bench.with(Replies.network()).maxRetries(5);
    bench.target("two", Replies.network());

    bench.run();

    assertThat(bench.tried()).containsExactly("one", "two", "one", "two", "one");
  }

  @Test
  @DisplayName("B4, T1: max-retries 3 of a turn means three attempts in all")
  void threeAttempts() {
    Bench bench = Bench.with(Replies.network());

    bench.run();

    assertThat(bench.calls()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7})
  @DisplayName("T1: n of the turn runner means n executions, whatever the number of targets")
  void maxAttempts(int n) {
    Bench bench = Bench.with(Replies.network()).maxRetries(n);
    bench.target("two", Replies.network());

    bench.run();

    assertThat(bench.calls()).isEqualTo(n);
  }

  @Test
  @DisplayName("B6: a failed attempt does not poison a later one of the same turn")
  void errorsAreReset() {
    Bench bench = Bench.with(Replies.report(INVALID_REPORT), Replies.look("a"), Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.events(SessionEvent.TurnFinished.class))
        .extracting(SessionEvent.TurnFinished::status)
        .containsExactly("ok", "reported");
  }

  @Test
  @DisplayName("B7: an answer with calls, or a report, ends the turn's attempts")
  void oneCallEach() {
    Bench bench = Bench.with(Replies.look("a"), Replies.report());

    assertThat(bench.run())
        .isEqualTo(
            new SessionResult.Reported(
                new FinalReport(FinalReport.Status.SUCCESS, "all done", null),
                ReportSource.TOOL_CALL,
                2));
    assertThat(bench.tools.ran).containsExactly(Replies.call("a", "look", "{}"));
    assertThat(bench.calls()).isEqualTo(2);
  }

  @Test
  @DisplayName("B8: an answer without a call is tried again in the same turn")
  void contentIsRetried() {
    Bench bench = Bench.with(Replies.text("I am done"), Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.events(SessionEvent.AttemptFinished.class))
        .extracting(SessionEvent.AttemptFinished::turn)
        .containsExactly(1, 1);
  }

  @Test
  @DisplayName("B9: a report that is not valid is not kept, and the turn is tried again")
  void invalidReport() {
    Bench bench = Bench.with(Replies.report(INVALID_REPORT), Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.entries(JournalEntry.Answered.class)).hasSize(1);
    assertThat(bench.entries(JournalEntry.Ended.class)).hasSize(1);
    assertThat(bench.notices(1)).singleElement().asString().contains("\"status\" must be");
    assertThat(bench.sent(1)).noneMatch(Message.Assistant.class::isInstance);
  }

  @Test
  @DisplayName("B10: an attempt that throws is a failed attempt of type error")
  void throwingProvider() {
    Bench bench = new Bench();
    bench
        .target("one")
        .then(
            request -> {
              throw new IllegalStateException("bug in the adapter");
            })
        .then(Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.events(SessionEvent.AttemptFinished.class))
        .extracting(SessionEvent.AttemptFinished::status)
        .containsExactly("error", "ok");
  }

  @Test
  @DisplayName("B10: an exception of the journal is no failed attempt: it ends the session")
  void throwingJournal() {
    Bench bench = Bench.with(Replies.report());
    bench.journal =
        new Journal() {
          @Override
          public List<JournalEntry> entries() {
            return List.of();
          }

          @Override
          public void append(List<JournalEntry> entries) {
            if (entries.getFirst() instanceof JournalEntry.Answered) {
              throw new IllegalStateException("disk full");
            }
          }
        };

    org.assertj.core.api.Assertions.assertThatThrownBy(bench::run).hasMessage("disk full");

    assertThat(bench.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("B11, B13, B73: a refused key ends the session at once, by its type")
  void authError() {
    Bench bench =
        Bench.with(Replies.failed(FailureKind.AUTH_ERROR, false, "Quota of patience is over"));
    bench.target("two", Replies.report());

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(failed.exit().wireName()).isEqualTo("EXIT-AUTH-FAILURE");
    assertThat(failed.category()).isEqualTo(Category.API_ERROR);
    assertThat(bench.calls()).isEqualTo(1);
    assertThat(bench.log()).anyMatch(line -> line.startsWith("ERR agent:turn EXIT-AUTH-FAILURE"));
  }

  @Test
  @DisplayName("B12, B13: a used-up quota ends the session at once")
  void quota() {
    Bench bench = Bench.with(Replies.failed(FailureKind.QUOTA_EXCEEDED, false, "Invalid API key"));
    bench.target("two", Replies.report());

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(failed.exit().wireName()).isEqualTo("EXIT-QUOTA-EXCEEDED");
    assertThat(failed.category()).isEqualTo(Category.API_ERROR);
    assertThat(bench.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("T5: a used-up quota with a time of reset is transient for the ticket")
  void quotaWithHint() {
    Bench bench =
        Bench.with(
            new CallResult.Failed(
                FailureKind.QUOTA_EXCEEDED,
                false,
                "used up",
                402,
                null,
                Duration.ofHours(1),
                false,
                null));

    assertThat(bench.runToFailure().category()).isEqualTo(Category.TRANSIENT);
    assertThat(bench.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("T8: with skip-target-on-auth-error a refused key is the next target's turn")
  void skipOnAuth() {
    Bench bench = Bench.with(Replies.failed(FailureKind.AUTH_ERROR, false, "no"));
    bench.target("two", Replies.report());
    SessionSettings.Limits limits = bench.settings.limits();
    bench.settings =
        bench.settings.withLimits(
            new SessionSettings.Limits(
                limits.maxTurns(), limits.maxRetries(), limits.llmTimeout(), null, null, true));

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);
  }

  @ParameterizedTest
  @EnumSource(
      value = FailureKind.class,
      names = {"RATE_LIMIT", "MODEL_ERROR", "NETWORK_ERROR", "TIMEOUT", "INVALID_RESPONSE"})
  @DisplayName("B14, B15: the retryable kinds go to the next target, without a wait")
  void retryable(FailureKind kind) {
    Bench bench = Bench.with(Replies.failed(kind, true, "no"));
    bench.target("two", Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.tried()).containsExactly("one", "two");
    assertThat(bench.sleeper.millis).isEmpty();
  }

  @Test
  @DisplayName("B16: a target that does not fit is left by one step, and counts as an attempt")
  void skipProvider() {
    Bench bench =
        Bench.with(Replies.status(FailureKind.MODEL_ERROR, 404, "no such model")).maxRetries(4);
    bench.target("two", Replies.network());
    bench.target("three", Replies.network());

    bench.run();

    assertThat(bench.tried()).containsExactly("one", "two", "three", "one");
  }

  @Test
  @DisplayName("B18: the model's time is a bound of each call, within the deadline of all")
  void timeout() {
    Bench bench = Bench.with(Replies.report());
    bench.run();
    Bench hurried = Bench.with(Replies.report());
    hurried.timeAllowed = Duration.ofSeconds(7);
    hurried.run();

    assertThat(bench.provider().requests.getFirst().timeout()).isEqualTo(Duration.ofMinutes(2));
    assertThat(hurried.provider().requests.getFirst().timeout()).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  @DisplayName("B19: a directive may end the session")
  void abortDirective() {
    Bench bench = Bench.with(Replies.network());
    bench.directives = (target, failure) -> RetryDirective.of(RetryDirective.Action.ABORT, null);

    assertThat(bench.runToFailure().exit()).isEqualTo(ExitCode.NO_LLM_RESPONSE);
    assertThat(bench.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("B1: a directive says what to do, how long to wait, and what to tell whom")
  void directive() {
    Bench bench = Bench.with(Replies.network(), Replies.report());
    bench.directives =
        (target, failure) ->
            new RetryDirective(
                RetryDirective.Action.RETRY, 250.4, "trying once more", "be brief", List.of("x"));

    bench.run();

    assertThat(bench.sleeper.millis).containsExactly(250L);
    assertThat(bench.log()).contains("WRN agent:directive trying once more");
    assertThat(bench.notices(1)).containsExactly("System notice: be brief");
  }
}
