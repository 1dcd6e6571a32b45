package dev.holdfast.llm.account;

import static dev.holdfast.llm.account.AccountBench.KEY;
import static dev.holdfast.llm.account.AccountBench.MODEL;
import static dev.holdfast.llm.account.AccountBench.ONE;
import static dev.holdfast.llm.account.AccountBench.PROVIDER;
import static dev.holdfast.llm.account.AccountBench.TWO;
import static dev.holdfast.llm.account.AccountBench.cooling;
import static dev.holdfast.llm.account.AccountBench.dead;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.Account;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.CallRetryOptions;
import dev.holdfast.llm.Calls;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.ProviderCallRetry;
import dev.holdfast.llm.RetryContext;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Usage;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls of one attempt, which go only to what is open. */
class GuardedProviderTest {
  private static final Duration TEN = Duration.ofSeconds(10);
  private static final Scope SECOND_KEY = Scope.ofAccount(TWO);
  private static final CallResult.Answer HELLO = Calls.answer("hello", new Usage(3, 0, 0, 1));
  private static final CallResult.Failed LIMITED =
      Calls.failed(FailureKind.RATE_LIMIT, true, "slow down", 429, null);
  private static final CallResult.Failed BROKEN =
      Calls.failed(FailureKind.MODEL_ERROR, true, "broken", 500, null);

  private final AccountBench bench = new AccountBench();

  private CallResult call() throws InterruptedException {
    return bench.call(Calls.request());
  }

  private Standstill refused() throws InterruptedException {
    return ((CallResult.Refused) call()).why();
  }

  @Test
  @DisplayName("an open account is called once, under the first key, without a statement")
  void answer() throws InterruptedException {
    bench.answers(HELLO);
    assertThat(call()).isSameAs(HELLO);
    assertThat(bench.called).containsExactly(ONE);
    assertThat(bench.store.told).isEmpty();
    assertThat(bench.heard).isEmpty();
  }

  @Test
  @DisplayName("a closed key is passed over for the next one")
  void nextKey() throws InterruptedException {
    bench.closed(dead(KEY)).answers(HELLO);
    assertThat(call()).isSameAs(HELLO);
    assertThat(bench.called).containsExactly(TWO);
  }

  @Test
  @DisplayName("where all keys are closed nothing is sent, and the one that opens first is told")
  void allClosed() throws InterruptedException {
    bench.closed(cooling(KEY, TEN, TEN), cooling(SECOND_KEY, Duration.ofSeconds(4), TEN));
    Standstill why = refused();
    assertThat(why.left()).isEqualTo(Duration.ofSeconds(4));
    assertThat(why.scopes()).containsExactly("openai/k2/", "openai/k1/");
    assertThat(bench.called).isEmpty();
    assertThat(bench.heard).containsExactly("refused openai: cooling");
  }

  @Test
  @DisplayName("dead keys are refused as an account's matter, without an end")
  void allDead() throws InterruptedException {
    bench.closed(dead(KEY), dead(SECOND_KEY));
    assertThat(refused().kind()).isEqualTo(Standstill.Kind.ACCOUNT);
    assertThat(bench.heard).containsExactly("refused openai: account");
  }

  @Test
  @DisplayName("D14: a key that is limited is told to the cluster, and the next one called at once")
  void limitedKey() throws InterruptedException {
    bench.answers(LIMITED, HELLO);
    assertThat(call()).isSameAs(HELLO);
    assertThat(bench.called).containsExactly(ONE, TWO);
    assertThat(bench.store.told).containsExactly("failed openai/k1/ RATE_LIMIT of 17");
    assertThat(bench.heard).containsExactly("closed openai/k1/");
  }

  @Test
  @DisplayName("a limit that cuts an answer comes out, for what it cost: no other key hides it")
  void cutByALimit() throws InterruptedException {
    Usage told = new Usage(100, 0, 0, 1);
    bench.answers(LIMITED.withUsage(told), HELLO);
    assertThat(((CallResult.Failed) call()).usage().input()).isEqualTo(told.input());
    assertThat(bench.called).containsExactly(ONE);
    assertThat(bench.heard).containsExactly("closed openai/k1/");
  }

  @Test
  @DisplayName(
      "outside a session the next key is asked at once, too, where an account's end cuts an answer")
  void cutByAnAccountsEnd() throws InterruptedException {
    CallResult.Failed usedUp =
        Calls.failed(FailureKind.QUOTA_EXCEEDED, false, "no credit", 200, null);
    bench.answers(usedUp.withUsage(new Usage(100, 0, 0, 1)), HELLO);
    bench.store.onRead =
        () -> bench.store.closures.addAll(bench.called.isEmpty() ? List.of() : List.of(dead(KEY)));
    RetryContext context = bench.context();
    ProviderCallRetry retry =
        new ProviderCallRetry(
            CallRetryOptions.DEFAULTS, time -> {}, () -> bench.nanos, () -> 0, event -> {});
    assertThat(
            retry.call(
                bench.guarded(context), Calls.request(), context, CallRetryOptions.Overrides.NONE))
        .isSameAs(HELLO);
    assertThat(bench.called).containsExactly(ONE, TWO);
  }

  @Test
  @DisplayName("where the last key fails too, its failure comes out")
  void bothLimited() throws InterruptedException {
    CallResult.Failed second = Calls.failed(FailureKind.AUTH_ERROR, false, "wrong key", 401, null);
    bench.answers(LIMITED, second);
    assertThat(call()).isSameAs(second);
    assertThat(bench.store.told)
        .containsExactly("failed openai/k1/ RATE_LIMIT of 17", "failed openai/k2/ AUTH of 17");
  }

  @Test
  @DisplayName("where no further key is open, the failure of the one that was called comes out")
  void nextIsClosed() throws InterruptedException {
    bench.closed(dead(SECOND_KEY)).answers(LIMITED);
    assertThat(call()).isSameAs(LIMITED);
    assertThat(bench.heard).containsExactly("closed openai/k1/");
  }

  @Test
  @DisplayName("what is the provider's or the request's fault is no reason for a second key")
  void noSecondKey() throws InterruptedException {
    bench.answers(BROKEN);
    assertThat(call()).isSameAs(BROKEN);
    CallResult.Failed tooLong = Calls.failed(FailureKind.CONTEXT_OVERFLOW, false, "too long");
    bench.answers(tooLong);
    assertThat(call()).isSameAs(tooLong);
    assertThat(bench.called).containsExactly(ONE, ONE);
    assertThat(bench.store.told).containsExactly("failed openai// OUTAGE of 17");
  }

  @Test
  @DisplayName("the second key's call is taken from the attempt's budget of calls")
  void secondKeyIsACall() throws InterruptedException {
    bench.maxCalls = 1;
    RetryContext context = bench.context();
    bench.answers(LIMITED, HELLO);
    assertThat(bench.guarded(context).call(Calls.request(), StreamListener.NONE)).isSameAs(HELLO);
    assertThat(context.takeCall()).isFalse();
  }

  @Test
  @DisplayName("without a call left, the second key is not called, and its try is given back")
  void noCallLeft() throws InterruptedException {
    bench.maxCalls = 1;
    bench.closed(cooling(SECOND_KEY, Duration.ZERO, TEN)).answers(LIMITED);
    RetryContext context = bench.context();
    assertThat(context.takeCall()).isTrue();
    assertThat(bench.guarded(context).call(Calls.request(), StreamListener.NONE)).isSameAs(LIMITED);
    assertThat(bench.called).containsExactly(ONE);
    assertThat(bench.store.told).contains("probe openai/k2/ for PT35S").endsWith("end openai/k2/");
  }

  @Test
  @DisplayName("a call that tries is waited for by the others for its timeout and a little more")
  void tryIsBounded() throws InterruptedException {
    bench.closed(cooling(KEY, Duration.ZERO, TEN)).answers(HELLO);
    call();
    assertThat(bench.store.told)
        .containsExactly("probe openai/k1/ for PT35S", "answered openai/k1/");
  }

  @Test
  @DisplayName("a try that fails closes what it tells of, and gives back what it does not")
  void failedTry() throws InterruptedException {
    bench
        .closed(cooling(PROVIDER, Duration.ZERO, TEN), cooling(KEY, Duration.ZERO, TEN))
        .accounts(ONE)
        .answers(LIMITED);
    call();
    assertThat(bench.store.told)
        .endsWith("failed openai/k1/ RATE_LIMIT of 17", "end openai//")
        .doesNotContain("end openai/k1/");
  }

  @Test
  @DisplayName("a try that tells nothing of the account, or is cut, is given back")
  void uselessTry() throws InterruptedException {
    bench.closed(cooling(KEY, Duration.ZERO, TEN));
    bench.answers(Calls.failed(FailureKind.TIMEOUT, true, "late"));
    call();
    assertThat(bench.store.told).endsWith("end openai/k1/");
    bench.store.told.clear();
    assertThatThrownBy(this::call).isInstanceOf(InterruptedException.class);
    assertThat(bench.store.told).endsWith("end openai/k1/");
  }

  @Test
  @DisplayName("limits per model: only the model is closed, and the next key is asked")
  void perModel() throws InterruptedException {
    AccountBench perModel = new AccountBench(AccountBench.settings(0, true, false));
    perModel.answers(LIMITED, HELLO);
    assertThat(perModel.call(Calls.request())).isSameAs(HELLO);
    assertThat(perModel.store.told).containsExactly("failed openai/k1/m-1 RATE_LIMIT of 17");
  }

  @Test
  @DisplayName("whether a model stands still is known without asking: one open key is enough")
  void standstill() {
    ChatProvider guarded = bench.guarded();
    bench.closed(cooling(KEY, TEN, TEN));
    assertThat(guarded.standstill(MODEL)).isEmpty();
    bench.closed(dead(SECOND_KEY));
    assertThat(guarded.standstill(MODEL))
        .hasValueSatisfying(why -> assertThat(why.left()).isEqualTo(TEN));
    assertThat(bench.store.told).isEmpty();
  }

  @Test
  @DisplayName("where a provider with a price does not count, an estimate stands in its place")
  void estimate() throws InterruptedException {
    CallResult.Answer silent = Calls.answer("abc", Usage.NONE);
    bench.price("1").answers(silent);
    assertThat(((CallResult.Answer) call()).usage()).isEqualTo(new Usage(0, 0, 0, 2));
    assertThat(new AccountBench().answers(silent).call(Calls.request()))
        .as("a limit on tokens bounds a model without a price too")
        .isEqualTo(Calls.answer("abc", new Usage(0, 0, 0, 2)));
    bench.price("0").answers(silent);
    assertThat(call()).as("what costs nothing is left as it is").isSameAs(silent);
  }

  @Test
  @DisplayName("where a provider counts 0 for a prompt, an estimate of it stands beside the output")
  void promptOfNothing() throws InterruptedException {
    ChatRequest request = Calls.request(new Message.User("x".repeat(30)));
    bench.price("1").answers(Calls.answer("abc", new Usage(0, 0, 0, 7)));
    assertThat(((CallResult.Answer) bench.call(request)).usage()).isEqualTo(new Usage(18, 0, 0, 7));
    bench.answers(Calls.answer("abc", new Usage(0, 9, 0, 7)));
    assertThat(((CallResult.Answer) bench.call(request)).usage())
        .as("a prompt that came out of the cache alone is counted")
        .isEqualTo(new Usage(0, 9, 0, 7));
    CallResult.Failed late = Calls.failed(FailureKind.TIMEOUT, true, "late");
    bench.answers(late.withUsage(new Usage(0, 0, 0, 1)));
    assertThat(((CallResult.Failed) bench.call(request)).usage().input()).isEqualTo(18);
  }

  @Test
  @DisplayName(
      "a call that timed out or was cut counts at its worst, one that was refused does not")
  void unanswered() throws InterruptedException {
    CallResult.Failed late = Calls.failed(FailureKind.TIMEOUT, true, "late");
    int output = AccountSettings.DEFAULT.outputTokens();
    bench.price("1").answers(late);
    assertThat(usageOfFailure()).as("no word of usage").isEqualTo(new Usage(0, 0, 0, output));
    bench.answers(late.withUsage(new Usage(7, 2, 0, 1)));
    assertThat(usageOfFailure())
        .as("what is known of the prompt is better than an estimate")
        .isEqualTo(new Usage(7, 2, 0, output));
    bench.answers(Calls.unbilled(late));
    assertThat(usageOfFailure()).as("never sent").isEqualTo(Usage.NONE);
    bench.answers(BROKEN);
    assertThat(usageOfFailure()).as("an error, at once").isEqualTo(Usage.NONE);
    bench.price("0").answers(late);
    assertThat(usageOfFailure()).as("what costs nothing").isEqualTo(Usage.NONE);
  }

  private Usage usageOfFailure() throws InterruptedException {
    return ((CallResult.Failed) call()).usage();
  }

  @Test
  @DisplayName("a provider without an account is a mistake of the program, not a refusal")
  void noAccount() {
    bench.accounts(new Account[0]);
    assertThatThrownBy(this::call).hasMessageContaining("openai has no account");
  }

  @Test
  @DisplayName("the guard has its provider's name, accounts and prices, and does not close it")
  void passesOn() {
    ChatProvider guarded = bench.price("2").guarded();
    assertThat(guarded.name()).isEqualTo("openai");
    assertThat(guarded.accounts()).isEqualTo(List.of(ONE, TWO));
    assertThat(guarded.cost(MODEL, new Usage(1_000_000, 0, 0, 0)))
        .hasValueSatisfying(cost -> assertThat(cost).isEqualByComparingTo("2"));
    guarded.close();
  }

  @Test
  @DisplayName("without a guard the provider is called as it is")
  void unguarded() {
    ChatProvider provider = bench.guarded();
    CallOf call = new CallOf(1, 1, null, bench.context());
    assertThat(CallGuard.NONE.guard(provider, call)).isSameAs(provider);
  }
}
