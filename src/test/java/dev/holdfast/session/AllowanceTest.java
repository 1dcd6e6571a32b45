package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.BrokenOffException;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.report.Spent;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a session may use of tokens, answers and money; an answer has 110 tokens, costs a cent. */
class AllowanceTest {
  private static Bench under(Allowance allowance, List<JournalEntry> journal) {
    Bench bench = Bench.with(Replies.look("1"), Replies.look("2"), Replies.look("3"));
    bench.journal = new InMemoryJournal(journal);
    bench.settings = bench.settings.withAllowance(allowance.withScope("ticket:17"));
    return bench;
  }

  private static Bench under(Allowance allowance) {
    return under(allowance, List.of());
  }

  /** One answer, then the session ends for a reason of its own. */
  private static List<JournalEntry> oneAnswer() {
    Bench bench =
        Bench.with(Replies.look("0"), Replies.failed(FailureKind.AUTH_ERROR, false, "no key"));
    bench.runToFailure();
    return bench.journal.entries();
  }

  private static Allowance allowance(long tokens, int answers, String attemptUsd, long ofAttempt) {
    return new Allowance(
        "ticket", null, tokens, answers, null, new BigDecimal(attemptUsd), ofAttempt, 8192);
  }

  private static void assertOver(Bench bench, int calls, String words) {
    SessionResult.Failed failed = bench.runToFailure();
    assertThat(failed.exit()).isEqualTo(SessionExitCode.COST_LIMIT);
    assertThat(failed.error()).contains(words);
    assertThat(bench.calls()).isEqualTo(calls);
  }

  @Test
  @DisplayName("5.2: the tokens of a ticket are those of all its attempts")
  void ticketTokens() {
    Allowance limit = allowance(330, 0, "100", 0);
    assertOver(under(limit), 3, "ticket:17: 330 of 330 tokens used");
    assertOver(under(limit, oneAnswer()), 2, "ticket:17: 330 of 330 tokens used");
  }

  @Test
  @DisplayName("5.2: the answers of a ticket are those of all its attempts")
  void ticketAnswers() {
    Allowance limit = allowance(0, 3, "100", 0);
    assertOver(under(limit), 3, "ticket:17: 3 of 3 answers used");
    assertOver(under(limit, oneAnswer()), 2, "ticket:17: 3 of 3 answers used");
  }

  @Test
  @DisplayName(
      "5.2: what a ticket used before it was told to start over counts, not for the attempt")
  void givenUpSessions() {
    Spent before = new Spent(2, new Usage(200, 0, 0, 20), new BigDecimal("0.02"));
    assertOver(startedOver(allowance(330, 0, "100", 0), before), 1, "17: 330 of 330 tokens used");
    assertOver(startedOver(allowance(0, 3, "100", 0), before), 1, "17: 3 of 3 answers used");
    Allowance money = Allowance.NONE.withCostUsd(new BigDecimal("0.035"));
    assertOver(startedOver(money, before), 1, "ticket:17: 0.03 USD spent of 0.035");
    assertOver(startedOver(allowance(0, 0, "0.025", 0), before), 2, "attempt: 0.02 USD spent");
  }

  private static Bench startedOver(Allowance allowance, Spent before) {
    Bench bench = under(allowance);
    Journal empty = bench.journal;
    bench.journal =
        new Journal() {
          @Override
          public void each(Consumer<JournalEntry> reader) {
            empty.each(reader);
          }

          @Override
          public Spent spentBefore() {
            return before;
          }

          @Override
          public void append(List<JournalEntry> entries) {
            empty.append(entries);
          }
        };
    return bench;
  }

  @Test
  @DisplayName("5.2: the tokens of an attempt begin at nothing in each of them")
  void attemptTokens() {
    Allowance limit = allowance(0, 0, "100", 220);
    assertOver(under(limit), 2, "attempt: 220 of 220 tokens used");
    assertOver(under(limit, oneAnswer()), 2, "attempt: 220 of 220 tokens used");
  }

  @Test
  @DisplayName("5.2: the cost of an attempt begins at nothing in each of them")
  void attemptCost() {
    Allowance limit = allowance(0, 0, "0.025", 0);
    String words = "attempt: 0.02 USD spent of 0.025, the next call may cost 0.01";
    assertOver(under(limit), 2, words);
    assertOver(under(limit, oneAnswer()), 2, words);
  }

  @Test
  @DisplayName("5.2: under a limit of money a call is sent with the output length that had to fit")
  void sentAsItFits() {
    Allowance limit = allowance(0, 0, "100", 0);
    assertThat(lengths(under(limit))).containsOnly("8192");
    assertThat(lengths(under(limit.withCostUsd(BigDecimal.TEN)))).containsOnly("8192");
    assertThat(lengths(under(Allowance.NONE))).containsOnly("null");
    Bench own = under(limit);
    own.settings = own.settings.withLimits(writing(100));
    assertThat(lengths(own)).containsOnly("100");
  }

  private static List<String> lengths(Bench bench) {
    bench.run();
    return bench.provider().requests.stream()
        .map(request -> String.valueOf(request.maxOutputTokens()))
        .toList();
  }

  private static SessionSettings.Limits writing(int tokens) {
    SessionSettings.Limits usual = SessionSettings.Limits.DEFAULT;
    return new SessionSettings.Limits(
        usual.maxTurns(), usual.maxRetries(), usual.llmTimeout(), tokens, null);
  }

  @Test
  @DisplayName("5.2: the shortest answer that is asked for has 256 tokens, whatever the longest is")
  void shortestAnswer() {
    assertThat(lengths(writing(2000, "0.3"))).startsWith("256");
    assertThat(lengths(writing(300, "0.299"))).startsWith("256");
    assertOver(
        writing(2000, "0.2"), 0, "ticket:17: 0 USD spent of 0.2, the next call may cost 0.256");
    assertThat(lengths(writing(100, "0.1"))).startsWith("100");
    assertOver(
        writing(100, "0.05"), 0, "ticket:17: 0 USD spent of 0.05, the next call may cost 0.1");
  }

  /** A token that is written costs a thousandth of a dollar. */
  private static Bench writing(int tokens, String usd) {
    Bench bench = under(Allowance.NONE.withCostUsd(new BigDecimal(usd)));
    bench.provider().priced("1000");
    bench.settings = bench.settings.withLimits(writing(tokens));
    return bench;
  }

  @Test
  @DisplayName("5.2: calls that timed out were possibly paid for: their tokens and money count")
  void timedOut() {
    CallResult.Failed cut =
        Replies.failed(FailureKind.TIMEOUT, true, "no answer").withUsage(new Usage(90, 0, 0, 20));
    Bench tokens = timingOut(cut, allowance(220, 3, "100", 0));
    assertOver(tokens, 2, "ticket:17: 220 of 220 tokens used");

    Bench money = timingOut(cut, allowance(0, 3, "0.025", 0));
    assertOver(money, 2, "attempt: 0.02 USD spent of 0.025, the next call may cost 0.01");

    Bench later = Bench.with(Replies.look("1"), Replies.look("2"), Replies.look("3"));
    later.journal = new InMemoryJournal(tokens.journal.entries());
    later.settings = later.settings.withAllowance(allowance(330, 3, "100", 0).withScope("t"));
    assertOver(later, 1, "t: 330 of 330 tokens used");
  }

  @Test
  @DisplayName("5.2: calls that are broken off were possibly paid for, and count likewise")
  void brokenOff() throws Exception {
    Usage worst = new Usage(90, 0, 0, 20);
    Bench bench = under(allowance(110, 1, "100", 0));
    bench.routes.clear();
    bench
        .target("one")
        .then(
            request -> {
              throw new BrokenOffException(new InterruptedException("stopped"), worst);
            });
    assertThat(Running.start(bench).result()).isEqualTo(new SessionResult.Cancelled());
    assertThat(bench.entries(JournalEntry.Discarded.class))
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.why()).isEqualTo("aborted");
              assertThat(each.usage()).isEqualTo(worst);
              assertThat(each.unanswered()).isTrue();
            });
    Bench later = under(allowance(110, 1, "100", 0), bench.journal.entries());
    assertOver(later, 0, "ticket:17: 110 of 110 tokens used");
  }

  private static Bench timingOut(CallResult.Failed cut, Allowance allowance) {
    Bench bench = Bench.with(cut);
    bench.settings = bench.settings.withAllowance(allowance.withScope("ticket:17"));
    return bench;
  }
}
