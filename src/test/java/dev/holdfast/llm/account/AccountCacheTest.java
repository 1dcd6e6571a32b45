package dev.holdfast.llm.account;

import static dev.holdfast.llm.account.AccountBench.KEY;
import static dev.holdfast.llm.account.AccountBench.MODEL;
import static dev.holdfast.llm.account.AccountBench.ONE;
import static dev.holdfast.llm.account.AccountBench.PROVIDER;
import static dev.holdfast.llm.account.AccountBench.SECOND;
import static dev.holdfast.llm.account.AccountBench.cooling;
import static dev.holdfast.llm.account.AccountBench.dead;
import static dev.holdfast.llm.account.AccountBench.probed;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.holdfast.llm.Account;
import dev.holdfast.llm.Standstill;
import dev.holdfast.testing.LogLines;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A worker's copy of what is closed. */
class AccountCacheTest {
  private static final Duration TEN = Duration.ofSeconds(10);

  private final AccountBench bench = new AccountBench();
  private final long since = bench.nanos;

  private @Nullable Standstill standstill() {
    return bench.cache.standstill(ONE, MODEL, since);
  }

  private Standstill shut() {
    Standstill shut = standstill();
    assertThat(shut).as("something is closed").isNotNull();
    return shut;
  }

  private AccountCache.Admission admit() {
    return bench.cache.admit(ONE, MODEL, Duration.ofMinutes(1), since);
  }

  @Test
  @DisplayName("with no record of it an account is open, and nobody is asked")
  void open() {
    assertThat(standstill()).isNull();
    assertThat(admit()).isEqualTo(new AccountCache.Admission.Open(List.of()));
    assertThat(bench.store.told).isEmpty();
    assertThat(bench.cache.closed()).isEmpty();
  }

  @Test
  @DisplayName("a cool-down counts from when it was read, to its last nanosecond and no longer")
  void countsDown() {
    bench.closed(cooling(KEY, TEN, TEN));
    bench.pass(Duration.ofSeconds(4));
    assertThat(shut().left()).isEqualTo(Duration.ofSeconds(6));
    assertThat(bench.cache.closed()).containsExactly(KEY);
    bench.pass(Duration.ofSeconds(6).minusNanos(1));
    assertThat(standstill()).isNotNull();
    bench.pass(Duration.ofNanos(1));
    assertThat(standstill()).isNull();
    assertThat(bench.cache.closed()).isEmpty();
  }

  @Test
  @DisplayName("a cool-down of another account, model or provider closes nothing here")
  void others() {
    bench.closed(
        cooling(Scope.ofProvider("other"), TEN, TEN),
        cooling(Scope.ofAccount(new Account("openai", "k2", "key-2")), TEN, TEN),
        dead(Scope.ofModel(ONE, "m-2")));
    assertThat(standstill()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "10, 0.2, 0, 4000",
    "10, 0.2, 0.5, 5000",
    "10, 0.2, 1, 6000",
    "4, 0.2, 1, 5000",
    "4, 0, 1, 4000",
    "3600, 0.5, 1, 1804000",
  })
  @DisplayName("starts behind the end are spread by a part of its length, a second at least")
  void spread(long lengthSeconds, double spread, double random, long millis) {
    AccountBench spreading = new AccountBench(AccountBench.settings(spread, false, false));
    spreading.random = random;
    spreading.closed(cooling(KEY, Duration.ofSeconds(4), Duration.ofSeconds(lengthSeconds)));
    Standstill shut = spreading.cache.standstill(ONE, MODEL, spreading.nanos);
    assertThat(shut).isNotNull();
    assertThat(shut.left()).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @CsvSource({"PT4.999S, true", "PT5S, true", "PT5.001S, false"})
  @DisplayName("a wait that a session sits out is told by the cool-down, not by this one's spread")
  void brief(Duration left, boolean brief) {
    bench.random = 1;
    bench.closed(cooling(KEY, left, TEN));
    assertThat(shut().brief()).isEqualTo(brief);
  }

  @Test
  @DisplayName("of provider, account and model the one that ends last decides")
  void last() {
    bench.closed(
        cooling(PROVIDER, Duration.ofSeconds(2), TEN),
        cooling(KEY, Duration.ofSeconds(9), TEN),
        cooling(Scope.ofModel(ONE, MODEL), Duration.ofSeconds(3), TEN));
    assertThat(shut().left()).isEqualTo(Duration.ofSeconds(9));
    assertThat(shut().scopes()).containsExactly("openai/k1/");
    assertThat(shut().words()).isEqualTo("openai key k1: rate_limit (slow down)");
  }

  @Test
  @DisplayName("what a person has to mend ends after every cool-down, wherever it stands")
  void person() {
    bench.closed(cooling(PROVIDER, TEN, TEN), dead(KEY));
    bench.closed(cooling(Scope.ofModel(ONE, MODEL), TEN, TEN));
    assertThat(shut().kind()).isEqualTo(Standstill.Kind.ACCOUNT);
    assertThat(shut().left()).isNull();
    assertThat(shut().brief()).isFalse();
    assertThat(shut().words()).as("no words, no brackets").isEqualTo("openai key k1: auth");
  }

  @Test
  @DisplayName("an attempt is not refused by a copy that is older than itself")
  void olderThanTheAttempt() {
    bench.closed(dead(KEY));
    bench.pass(SECOND);
    bench.store.closures.clear();
    assertThat(bench.cache.standstill(ONE, MODEL, bench.nanos))
        .as("a person has mended it meanwhile")
        .isNull();
  }

  @Test
  @DisplayName("a copy from after the attempt's start is trusted, and nobody is asked")
  void younger() {
    bench.pass(SECOND);
    bench.closed(dead(KEY));
    int reads = bench.store.reads;
    assertThat(standstill()).isNotNull();
    assertThat(bench.store.reads).isEqualTo(reads);
  }

  @Test
  @DisplayName("without the database the old copy holds, and is counted down")
  void databaseDown() {
    bench.closed(cooling(KEY, TEN, TEN));
    bench.store.down = true;
    bench.pass(Duration.ofSeconds(1));
    assertThat(bench.cache.refresh()).isFalse();
    assertThat(shut().left()).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  @DisplayName("while somebody tries, the others look again after a part of the first delay")
  void waitForTry() {
    bench.closed(probed(KEY, Duration.ofMinutes(1)));
    assertThat(shut().left()).isEqualTo(Duration.ofMillis(1_250));
    bench.pass(Duration.ofSeconds(57));
    assertThat(shut().left()).isEqualTo(Duration.ofSeconds(3));
    bench.pass(Duration.ofSeconds(3));
    assertThat(standstill()).as("the one who tried is lost").isNull();
  }

  @Test
  @DisplayName("behind the end of a cool-down one call tries, for as long as it may take")
  void takesProbe() {
    bench.closed(cooling(KEY, Duration.ZERO, TEN));
    assertThat(admit()).isEqualTo(new AccountCache.Admission.Open(List.of(KEY)));
    assertThat(bench.store.told).containsExactly("probe openai/k1/ for PT1M");
  }

  @Test
  @DisplayName("mere signs of an outage are no cool-down: nobody has to try first")
  void signs() {
    bench.closed(cooling(PROVIDER, null, Duration.ZERO));
    assertThat(admit()).isEqualTo(new AccountCache.Admission.Open(List.of()));
    assertThat(bench.store.told).isEmpty();
  }

  @Test
  @DisplayName("who may not try gives back what it would have tried, and waits a first look")
  void somebodyElseTries() {
    Scope model = Scope.ofModel(ONE, MODEL);
    bench.closed(cooling(KEY, Duration.ZERO, TEN), cooling(model, Duration.ZERO, TEN));
    bench.store.probes.put(model, AccountStore.Probe.WAIT);
    assertThat(admit())
        .isInstanceOfSatisfying(
            AccountCache.Admission.Shut.class,
            shut -> assertThat(shut.why().left()).isEqualTo(Duration.ofSeconds(5)));
    assertThat(bench.store.told).endsWith("end openai/k1/");
  }

  @Test
  @DisplayName("where others have found it open, it is called without a try")
  void openedMeanwhile() {
    bench.closed(cooling(KEY, Duration.ZERO, TEN));
    bench.store.probes.put(KEY, AccountStore.Probe.OPEN);
    bench.store.closures.clear();
    assertThat(admit()).isEqualTo(new AccountCache.Admission.Open(List.of()));
    bench.store.told.clear();
    admit();
    assertThat(bench.store.told).as("the copy is new").isEmpty();
  }

  @Test
  @DisplayName("who cannot ask whether to try does not call")
  void cannotAsk() {
    bench.closed(cooling(KEY, Duration.ZERO, TEN));
    bench.store.down = true;
    assertThat(admit()).isInstanceOf(AccountCache.Admission.Shut.class);
  }

  @ParameterizedTest
  @CsvSource({"1, 200", "0, 100", "0.5, 150"})
  @DisplayName("callers that wait alike come back apart")
  void around(double random, long millis) {
    bench.random = random;
    assertThat(bench.cache.around(Duration.ofMillis(100))).isEqualTo(Duration.ofMillis(millis));
  }

  @Test
  @DisplayName(
      "an outage is as long as the provider's own, or as the shortest of its keys while something"
          + " waits for them")
  void outage() {
    bench.closed(outage(KEY, null));
    assertThat(bench.cache.outage("openai")).as("nothing waits for the key").isZero();
    bench.closed(outage(KEY, Duration.ofHours(9)));
    assertThat(bench.cache.outage("openai")).isEqualTo(Duration.ofHours(9));
    Scope second = Scope.ofAccount(AccountBench.TWO);
    bench.closed(outage(KEY, Duration.ofHours(9)), outage(second, Duration.ofHours(2)));
    assertThat(bench.cache.outage("openai")).isEqualTo(Duration.ofHours(2));
    bench.closed(outage(second, Duration.ofHours(2)), outage(PROVIDER, Duration.ofHours(3)));
    assertThat(bench.cache.outage("openai")).isEqualTo(Duration.ofHours(3));
    assertThat(bench.cache.outage("other")).isZero();
  }

  private static Closure outage(Scope scope, @Nullable Duration outage) {
    return new Closure(scope, "rate_limit", "", false, TEN, TEN, null, outage);
  }

  @Test
  @DisplayName("an answer ends what is over, and leaves what still cools or waits for a person")
  void answered() {
    bench.closed(
        cooling(PROVIDER, null, Duration.ZERO),
        cooling(KEY, Duration.ZERO, TEN),
        dead(Scope.ofModel(ONE, MODEL)));
    bench.cache.answered(ONE, MODEL);
    assertThat(bench.store.told).containsExactly("answered openai//", "answered openai/k1/");
    bench.store.told.clear();
    bench.closed(cooling(KEY, SECOND, TEN));
    bench.cache.answered(ONE, MODEL);
    assertThat(bench.store.told).isEmpty();
  }

  @Test
  @DisplayName("an answer under an account that nobody has closed costs no statement")
  void answeredOpen() {
    int reads = bench.store.reads;
    bench.cache.answered(ONE, MODEL);
    assertThat(bench.store.told).isEmpty();
    assertThat(bench.store.reads).isEqualTo(reads);
  }

  @Test
  @DisplayName("an answer is an answer, whether the others can be told of it or not")
  void answeredDown() {
    bench.closed(cooling(KEY, Duration.ZERO, TEN));
    bench.store.down = true;
    bench.cache.answered(ONE, MODEL);
    bench.cache.endProbes(List.of(KEY));
    assertThat(bench.store.told).isEmpty();
  }

  @Test
  @DisplayName("the first to find an account closed tells people, the later ones nobody")
  void toldOnce() {
    for (boolean first : new boolean[] {true, false}) {
      bench.store.first = first;
      List<String> errors = errors(failure(AccountFailure.Reason.AUTH, null));
      assertThat(errors).hasSize(first ? 1 : 0);
    }
    assertThat(bench.store.told).hasSize(2);
    assertThat(bench.heard).containsExactly("closed openai/k1/");
  }

  @Test
  @DisplayName(
      "where the others cannot be told, people are not told either, for they would be anew")
  void toldDown() {
    bench.store.down = true;
    assertThat(errors(failure(AccountFailure.Reason.AUTH, null))).isEmpty();
    assertThat(bench.heard).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "AUTH, -, true",
        "QUOTA, -, true",
        "QUOTA, PT1H, false",
        "RATE_LIMIT, -, false",
        "OUTAGE, -, false",
      })
  @DisplayName("only what waits for a person is an error, with the command that mends it")
  void errorsAreForPeople(AccountFailure.Reason reason, @Nullable Duration hint, boolean error) {
    List<String> errors = errors(failure(reason, hint));
    assertThat(errors).hasSize(error ? 1 : 0);
    assertThat(errors).allMatch(line -> line.endsWith("holdfast providers mend openai"));
  }

  @Test
  @DisplayName("what this worker finds out itself it knows at once, told to the others or not")
  void knowsItself() {
    bench.store.closures.add(cooling(KEY, TEN, TEN));
    bench.store.first = false;
    errors(failure(AccountFailure.Reason.RATE_LIMIT, null));
    assertThat(bench.cache.closed()).containsExactly(KEY);
  }

  private static AccountFailure failure(AccountFailure.Reason reason, @Nullable Duration hint) {
    return new AccountFailure(KEY, reason, "no", null, hint, false);
  }

  private List<String> errors(AccountFailure failure) {
    AccountListener listener =
        new AccountListener() {
          @Override
          public void closed(AccountFailure closed) {
            bench.heard.add("closed " + closed.scope().text());
          }
        };
    try (LogLines lines = new LogLines(AccountCache.class)) {
      bench.cache.failed(failure, 17, listener);
      return lines.of(Level.ERROR);
    }
  }
}
