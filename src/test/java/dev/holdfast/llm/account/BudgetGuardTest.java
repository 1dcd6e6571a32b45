package dev.holdfast.llm.account;

import static dev.holdfast.llm.account.AccountBench.KEY;
import static dev.holdfast.llm.account.AccountBench.ONE;
import static dev.holdfast.llm.account.AccountBench.TWO;
import static dev.holdfast.llm.account.AccountBench.cooling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.holdfast.llm.BrokenOffException;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Calls;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.RetryContext;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.account.AccountStore.Reservation;
import dev.holdfast.testing.LogLines;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Money that is reserved before a call and booked after it; a call costs 1 USD at worst here. */
class BudgetGuardTest {
  private static final Duration TEN = Duration.ofSeconds(10);

  private final AccountBench bench = new AccountBench().price("100000").budgets("day");

  /** Ten tokens. */
  private CallResult call() throws InterruptedException {
    return bench.call(Calls.request(10, List.of()));
  }

  private Standstill refused() throws InterruptedException {
    return ((CallResult.Refused) call()).why();
  }

  private static Reservation noRoom(String scope, String spent, String reserved, String limit) {
    return new Reservation.NoRoom(
        scope, new BigDecimal(spent), new BigDecimal(reserved), new BigDecimal(limit));
  }

  private void cost(CallResult result, String booked) throws InterruptedException {
    bench.answers(result);
    call();
    assertThat(bench.store.told).contains("reserve 1 of [day]").endsWith("settle 7: " + booked);
  }

  @Test
  @DisplayName("issue 5.3: the worst is reserved before the call and what it cost is booked after")
  void books() throws InterruptedException {
    cost(Calls.answer("x", new Usage(2, 0, 0, 1)), "0.3");
  }

  @Test
  @DisplayName("issue 5.3: a failure that was possibly billed counts at its worst, others not")
  void failures() throws InterruptedException {
    CallResult.Failed late = Calls.failed(FailureKind.TIMEOUT, true, "late");
    cost(late, "1");
    cost(Calls.unbilled(late), "0");
  }

  @Test
  @DisplayName("issue 5.3: a call that is broken off counts at its worst, for its ticket as well")
  void brokenOff() {
    assertThatThrownBy(this::call)
        .isInstanceOfSatisfying(
            BrokenOffException.class, e -> assertThat(e.usage()).isEqualTo(new Usage(0, 0, 0, 10)));
    assertThat(bench.store.told).endsWith("settle 7: 1");
    AccountBench free = new AccountBench().price("0");
    assertThatThrownBy(() -> free.call(Calls.request()))
        .as("known to cost nothing")
        .isExactlyInstanceOf(InterruptedException.class);
  }

  @Test
  @DisplayName("issue 5.3: a call that an interrupt keeps from being sent costs nothing")
  void neverSent() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(this::call).isExactlyInstanceOf(InterruptedException.class);
    assertThat(bench.store.told).endsWith("settle 7: 0");
  }

  @Test
  @DisplayName("issue 5.3: an answer without usage is booked as it is estimated")
  void estimate() throws InterruptedException {
    cost(Calls.answer("abc", Usage.NONE), "0.2");
  }

  @Test
  @DisplayName("issue 5.3: a call is sent with the output length that was reserved for it")
  void sentAsReserved() throws InterruptedException {
    bench.answers(Calls.answer("x", Usage.NONE), Calls.answer("x", Usage.NONE));
    bench.call(Calls.request());
    call();
    assertThat(bench.outputTokens).containsExactly(8192, 10);
  }

  @Test
  @DisplayName("a call that no budget bounds is sent without an output length, as it is asked for")
  void sentAsAsked() throws InterruptedException {
    for (AccountBench free :
        List.of(
            new AccountBench().price("100000"),
            new AccountBench().price("0").budgets("day"),
            new AccountBench().budgets("day"))) {
      free.answers(Calls.answer("x", Usage.NONE)).call(Calls.request());
      assertThat(free.outputTokens).containsOnlyNulls();
    }
  }

  @Test
  @DisplayName("only budgets that exist are asked, each by its name")
  void scopes() throws InterruptedException {
    bench.budgets("design:fixer", "design:other", "key:openai/k1", "key:openai/k2");
    bench.answers(Calls.answer("x", new Usage(1, 0, 0, 0)));
    call();
    assertThat(bench.store.told).startsWith("reserve 1 of [day, design:fixer, key:openai/k1]");
  }

  @Test
  @DisplayName("a ticket without a design has no design's budget")
  void withoutDesign() throws InterruptedException {
    bench.budgets("design:null");
    bench.answers(Calls.answer("x", new Usage(1, 0, 0, 0)));
    CallOf call = new CallOf(17, 3, null, bench.context());
    new BudgetGuard(bench.cache, _ -> {})
        .reserve(bench.guarded(), ONE, Calls.request(10, List.of()), call);
    assertThat(bench.store.told).containsExactly("reserve 1 of [day]");
  }

  @Test
  @DisplayName("a used-up budget sends nothing, waits for nobody, and is told with its numbers")
  void usedUp() throws InterruptedException {
    bench.store.reservations.add(noRoom("day", "9.50", "0", "10"));
    Standstill why = refused();
    assertThat(why.kind()).isEqualTo(Standstill.Kind.BUDGET);
    assertThat(why.left()).isNull();
    assertThat(why.scopes()).containsExactly("day");
    assertThat(why.neededUsd()).isEqualByComparingTo("1");
    assertThat(why.words()).isEqualTo("budget day: 9.5 USD spent of 10, the next call may cost 1");
    assertThat(bench.called).isEmpty();
    assertThat(bench.slept).isEmpty();
    assertThat(bench.heard).containsExactly("refused openai: budget");
  }

  @Test
  @DisplayName("a call that fits to the cent is not used up: it waits for those on their way")
  void waits() throws InterruptedException {
    bench.store.reservations.addAll(
        List.of(noRoom("day", "9", "0.2", "10"), noRoom("day", "9", "0.1", "10")));
    cost(Calls.answer("x", new Usage(1, 0, 0, 0)), "0.1");
    assertThat(bench.slept).containsExactly(Duration.ofMillis(100), Duration.ofMillis(200));
  }

  @Test
  @DisplayName("the wait for others ends: then the ticket is put off, not held")
  void waitEnds() throws InterruptedException {
    for (int i = 0; i < 20; i++) {
      bench.store.reservations.add(noRoom("day", "9", "0.2", "10"));
    }
    bench.random = 1;
    Standstill why = refused();
    assertThat(why.left()).isEqualTo(TEN);
    assertThat(why.words()).contains("and 0.2 reserved by calls on their way");
    assertThat(bench.slept.stream().mapToLong(Duration::toMillis).sum()).isEqualTo(6_200);
  }

  @Test
  @DisplayName("E9: the wait for others ends before the attempt's deadline, and so does the call")
  void waitEndsBeforeDeadline() throws InterruptedException {
    for (int i = 0; i < 4; i++) {
      bench.store.reservations.add(noRoom("day", "9", "0.2", "10"));
    }
    bench.timeAllowed = Duration.ofMillis(900);
    assertThat(refused().left()).isPositive();
    assertThat(bench.slept).as("in all 700 ms, the next would be 800").hasSize(3);

    bench.answers(Calls.answer("x", new Usage(1, 0, 0, 0)));
    bench.store.reservations.add(noRoom("day", "9", "0.2", "10"));
    call();
    assertThat(bench.timeouts).containsExactly(Duration.ofMillis(800));
  }

  @Test
  @DisplayName("a stop of the attempt ends the wait for others")
  void stopped() {
    bench.store.reservations.add(noRoom("day", "9", "0.2", "10"));
    RetryContext context = bench.context();
    context.stop();
    assertThatThrownBy(
            () -> bench.guarded(context).call(Calls.request(10, List.of()), StreamListener.NONE))
        .as("nothing was sent")
        .isExactlyInstanceOf(InterruptedException.class);
    assertThat(bench.called).isEmpty();
  }

  @Test
  @DisplayName("a key whose own budget is used up is passed over for the next key")
  void keyUsedUp() throws InterruptedException {
    bench.budgets("key:openai/k1");
    bench.store.reservations.add(noRoom("key:openai/k1", "10", "0", "10"));
    CallResult.Answer answer = Calls.answer("x", new Usage(1, 0, 0, 0));
    bench.answers(answer);
    bench.maxCalls = 1;
    RetryContext context = bench.context();
    assertThat(context.takeCall()).isTrue();
    assertThat(bench.guarded(context).call(Calls.request(10, List.of()), StreamListener.NONE))
        .isSameAs(answer);
    assertThat(bench.called).containsExactly(TWO);
    assertThat(bench.heard).isEmpty();
    assertThat(context.takeCall()).as("it was sent").isFalse();
  }

  @Test
  @DisplayName("where one key's budget is used up and another cools, the ticket waits for that one")
  void keyUsedUpOtherCools() throws InterruptedException {
    bench.budgets("key:openai/k1");
    bench.closed(cooling(Scope.ofAccount(TWO), TEN, TEN));
    bench.store.reservations.add(noRoom("key:openai/k1", "10", "0", "10"));
    assertThat(refused().left()).isEqualTo(TEN);
    assertThat(bench.heard).containsExactly("refused openai: cooling");
    bench.accounts(TWO, ONE);
    bench.store.reservations.add(noRoom("key:openai/k1", "10", "0", "10"));
    assertThat(refused().left()).as("in the other order").isEqualTo(TEN);
  }

  @Test
  @DisplayName(
      "a failure stays the result where the next key's budget is used up, and costs one call")
  void failedAndUsedUp() throws InterruptedException {
    bench.maxCalls = 2;
    RetryContext context = bench.context();
    assertThat(context.takeCall()).isTrue();
    bench.budgets("key:openai/k1", "key:openai/k2");
    bench.store.reservations.addAll(
        List.of(new Reservation.Granted(7), noRoom("key:openai/k2", "10", "0", "10")));
    CallResult.Failed limited = Calls.failed(FailureKind.RATE_LIMIT, true, "slow down", 429, null);
    bench.answers(limited);
    assertThat(bench.guarded(context).call(Calls.request(10, List.of()), StreamListener.NONE))
        .isSameAs(limited);
    assertThat(context.takeCall()).as("the call that was not sent").isTrue();
    assertThat(context.takeCall()).isFalse();
  }

  @Test
  @DisplayName("the day's budget is every key's: no other key is asked where it is used up")
  void dayUsedUp() throws InterruptedException {
    bench.store.reservations.add(noRoom("day", "10", "0", "10"));
    refused();
    assertThat(bench.store.told).containsExactly("reserve 1 of [day]");
  }

  @Test
  @DisplayName("a refused reservation gives back the try that the call would have been")
  void refusedTry() throws InterruptedException {
    bench.closed(cooling(KEY, Duration.ZERO, TEN));
    bench.store.reservations.add(noRoom("day", "10", "0", "10"));
    refused();
    assertThat(bench.store.told).endsWith("end openai/k1/");
  }

  @Test
  @DisplayName("without the database no call that a budget bounds is sent")
  void cannotReserve() {
    bench.store.down = true;
    assertThatThrownBy(this::call).hasMessage("no database");
    assertThat(bench.called).isEmpty();
  }

  @Test
  @DisplayName("an answer is not lost because its cost cannot be booked")
  void cannotSettle() throws InterruptedException {
    BudgetGuard guard = new BudgetGuard(bench.cache, _ -> {});
    bench.store.down = true;
    guard.settle(new BudgetGuard.Grant.Reserved(7, BigDecimal.ONE), bench.guarded(), "m-1", null);
    assertThat(bench.store.told).isEmpty();
  }

  @Test
  @DisplayName("an answer of which nobody knows the usage or the price is booked at its worst")
  void unknownCost() {
    BudgetGuard guard = new BudgetGuard(bench.cache, _ -> {});
    BudgetGuard.Grant grant = new BudgetGuard.Grant.Reserved(7, BigDecimal.ONE);
    guard.settle(grant, bench.guarded(), "m-1", Calls.answer("x", Usage.NONE));
    guard.settle(grant, bench.guarded(), "m-2", Calls.answer("x", new Usage(1, 0, 0, 1)));
    assertThat(bench.store.told).containsExactly("settle 7: 1", "settle 7: 1");
  }

  @Test
  @DisplayName("where no budget is set, or a model is free, nothing is reserved or booked")
  void free() throws InterruptedException {
    CallResult.Answer answer = Calls.answer("x", new Usage(1, 0, 0, 0));
    AccountBench none = new AccountBench().price("100000").answers(answer);
    assertThat(none.call(Calls.request(10, List.of()))).isSameAs(answer);
    AccountBench free = new AccountBench().price("0").budgets("day").answers(answer);
    assertThat(free.call(Calls.request(10, List.of()))).isSameAs(answer);
    assertThat(none.store.told).isEmpty();
    assertThat(free.store.told).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"true, 0", "false, 1"})
  @DisplayName("budgets.unpriced: a model without a price is called with one warning, or refused")
  void unpriced(boolean refuse, int warnings) throws InterruptedException {
    AccountBench unpriced =
        new AccountBench(AccountBench.settings(0, false, refuse)).budgets("day");
    BudgetGuard guard = new BudgetGuard(unpriced.cache, _ -> {});
    CallOf call = new CallOf(17, 3, "fixer", unpriced.context());
    List<BudgetGuard.Grant> grants = new ArrayList<>();
    try (LogLines lines = new LogLines(BudgetGuard.class)) {
      for (int i = 0; i < 2; i++) {
        grants.add(guard.reserve(unpriced.guarded(), ONE, Calls.request(), call));
      }
      assertThat(lines.of(Level.WARN)).hasSize(warnings);
    }
    assertThat(grants)
        .allMatch(
            grant ->
                refuse
                    ? grant instanceof BudgetGuard.Grant.None none && none.why().left() == null
                    : grant instanceof BudgetGuard.Grant.Free);
  }
}
