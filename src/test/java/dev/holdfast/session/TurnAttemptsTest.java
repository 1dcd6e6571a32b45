package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.llm.Account;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportSource;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.report.SessionResult;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
          public void each(Consumer<JournalEntry> reader) {}

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

  @ParameterizedTest
  @CsvSource({"AUTH_ERROR, EXIT-AUTH-FAILURE", "QUOTA_EXCEEDED, EXIT-QUOTA-EXCEEDED"})
  @DisplayName("B11, B12, B13, B73: a refused account is called once, by its type, and waits")
  void deadAccount(FailureKind kind, String exit) {
    Bench bench = Bench.guarded(Replies.failed(kind, false, "Rate limit of patience is over"));

    SessionResult.StoodStill still = (SessionResult.StoodStill) bench.run();

    assertThat(still.why().kind()).isEqualTo(Standstill.Kind.ACCOUNT);
    assertThat(still.error()).endsWith("\nExit code: " + exit).contains("patience is over");
    assertThat(bench.calls()).isEqualTo(1);
    assertThat(bench.log()).anyMatch(line -> line.startsWith("ERR agent:turn " + exit));
    assertThat(bench.entries(JournalEntry.TurnFailed.class))
        .as("the session's record")
        .singleElement()
        .satisfies(each -> assertThat(each.message()).startsWith(exit));
  }

  @Test
  @DisplayName("T4: refused accounts use up no try: every other target is asked, each once")
  void deadAccounts() {
    CallResult refused = Replies.failed(FailureKind.AUTH_ERROR, false, "no");
    Bench bench = Bench.guarded(refused).maxRetries(1);
    bench.guardedTarget("two", Replies.failed(FailureKind.QUOTA_EXCEEDED, false, "no"));
    bench.guardedTarget("three", refused);
    bench.guardedTarget("four", Replies.look("a"), Replies.report());

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.tried()).containsExactly("one", "two", "three", "four", "four");
    assertThat(bench.sleeper.millis).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"AUTH_ERROR, AUTH_FAILURE", "QUOTA_EXCEEDED, QUOTA_EXCEEDED"})
  @DisplayName("B11, B12: where nobody can be told of it, a refused account ends with the tries")
  void untold(FailureKind kind, SessionExitCode exit) {
    Bench bench = Bench.with(Replies.failed(kind, false, "no"));

    SessionResult.Failed failed = bench.runToFailure();

    assertThat(failed.exit()).isEqualTo(exit);
    assertThat(failed.category()).isEqualTo(Category.API_ERROR);
    assertThat(bench.calls()).isEqualTo(3);
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

  @ParameterizedTest
  @CsvSource({"AUTH_ERROR", "QUOTA_EXCEEDED"})
  @DisplayName("B11, B12: an account that ends within an answer uses up no try where a key is left")
  void cutByOneKey(FailureKind kind) {
    CallResult.Failed cut = Replies.failed(kind, false, "no");
    Bench bench = Bench.with(cut.withUsage(new Usage(9, 0, 0, 1)), Replies.report()).maxRetries(1);
    bench.guard = (provider, call) -> new TwoKeys(provider);

    assertThat(bench.run()).isInstanceOf(SessionResult.Reported.class);

    assertThat(bench.calls()).isEqualTo(2);
  }

  /** The second of which is open. */
  private record TwoKeys(ChatProvider provider) implements ChatProvider {
    @Override
    public String name() {
      return provider.name();
    }

    @Override
    public List<Account> accounts() {
      return List.of(new Account(name(), "k1", "key-1"), new Account(name(), "k2", "key-2"));
    }

    @Override
    public CallResult call(ChatRequest request, StreamListener stream) throws InterruptedException {
      return provider.call(request, stream);
    }

    @Override
    public Optional<BigDecimal> cost(String model, Usage usage) {
      return provider.cost(model, usage);
    }

    @Override
    public void close() {
      provider.close();
    }
  }
}
