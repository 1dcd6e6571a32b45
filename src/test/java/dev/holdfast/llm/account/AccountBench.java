package dev.holdfast.llm.account;

import dev.holdfast.llm.Account;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Price;
import dev.holdfast.llm.Prices;
import dev.holdfast.llm.RetryContext;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A worker before records in memory: its clock moves only where the test moves it and is about to
 * run over, and what is random is said by the test.
 */
public final class AccountBench {
  static final String MODEL = "m-1";
  static final Account ONE = new Account("openai", "k1", "key-1");
  static final Account TWO = new Account("openai", "k2", "key-2");
  static final Scope PROVIDER = Scope.ofProvider("openai");
  static final Scope KEY = Scope.ofAccount(ONE);
  static final Duration SECOND = Duration.ofSeconds(1);

  final MemoryStore store = new MemoryStore();
  final List<Account> called = new ArrayList<>();
  final List<Duration> slept = new ArrayList<>();
  final List<Duration> timeouts = new ArrayList<>();
  final List<@Nullable Integer> outputTokens = new ArrayList<>();
  final List<String> heard = new ArrayList<>();
  final AccountCache cache;
  private final Deque<CallResult> answers = new ArrayDeque<>();
  private List<Account> accounts = List.of(ONE, TWO);
  private Prices prices = Prices.NONE;
  long nanos = Long.MAX_VALUE - 1;
  double random;
  int maxCalls;
  Duration timeAllowed = Duration.ofHours(1);

  AccountBench() {
    this(AccountSettings.DEFAULT);
  }

  AccountBench(AccountSettings settings) {
    cache = new AccountCache(store, settings, () -> nanos, () -> random);
  }

  /** The defaults, but for what most tests ask about. */
  public static AccountSettings settings(
      double spread, boolean limitsPerModel, boolean refuseUnpriced) {
    AccountSettings usual = AccountSettings.DEFAULT;
    return new AccountSettings(
        usual.baseDelay(),
        usual.maxDelay(),
        usual.maxHint(),
        usual.outageAfter(),
        spread,
        usual.waitInSession(),
        limitsPerModel,
        usual.outputTokens(),
        refuseUnpriced);
  }

  AccountBench accounts(Account... all) {
    accounts = List.of(all);
    return this;
  }

  /** In USD per million tokens, read and written alike. */
  AccountBench price(String usd) {
    prices = new Prices(Map.of(MODEL, Price.of(new BigDecimal(usd), new BigDecimal(usd))));
    return this;
  }

  AccountBench answers(CallResult... results) {
    answers.addAll(Arrays.asList(results));
    return this;
  }

  AccountBench closed(Closure... closures) {
    store.closures.addAll(List.of(closures));
    cache.refresh();
    return this;
  }

  AccountBench budgets(String... scopes) {
    store.budgets.addAll(List.of(scopes));
    cache.refresh();
    return this;
  }

  void pass(Duration time) {
    nanos += time.toNanos();
  }

  static Closure cooling(Scope scope, @Nullable Duration left, Duration length) {
    return new Closure(scope, "rate_limit", "slow down", false, left, length, null, null);
  }

  static Closure dead(Scope scope) {
    return new Closure(scope, "auth", "", true, null, Duration.ZERO, null, null);
  }

  static Closure probed(Scope scope, Duration probeLeft) {
    return new Closure(
        scope, "outage", "", false, Duration.ZERO, Duration.ofSeconds(10), probeLeft, null);
  }

  RetryContext context() {
    return new RetryContext(timeAllowed, maxCalls, () -> nanos);
  }

  ChatProvider guarded() {
    return guarded(context());
  }

  ChatProvider guarded(RetryContext context) {
    AccountListener listener =
        new AccountListener() {
          @Override
          public void closed(AccountFailure failure) {
            heard.add("closed " + failure.scope().text());
          }

          @Override
          public void refused(String provider, String why) {
            heard.add("refused " + provider + ": " + why);
          }
        };
    return new Accounts(cache, this::sleep, listener)
        .guard(new Answering(), new CallOf(17, 3, "fixer", context));
  }

  private void sleep(Duration time) {
    slept.add(time);
    pass(time);
  }

  CallResult call(ChatRequest request) throws InterruptedException {
    return guarded().call(request, StreamListener.NONE);
  }

  /** Gives the answers in their order, whatever the account. */
  private final class Answering implements ChatProvider {
    @Override
    public String name() {
      return "openai";
    }

    @Override
    public List<Account> accounts() {
      return accounts;
    }

    @Override
    public CallResult call(ChatRequest request, StreamListener stream) {
      throw new AssertionError("a guard says under which account");
    }

    @Override
    public CallResult call(ChatRequest request, Account account, StreamListener stream)
        throws InterruptedException {
      called.add(account);
      timeouts.add(request.timeout());
      outputTokens.add(request.maxOutputTokens());
      if (answers.isEmpty()) {
        throw new InterruptedException("cut in the middle of a call");
      }
      return answers.removeFirst();
    }

    @Override
    public Optional<BigDecimal> cost(String model, Usage usage) {
      return prices.cost(model, usage);
    }

    @Override
    public void close() {
      throw new AssertionError("it outlives the attempt");
    }
  }
}
