package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.account.AccountCache;
import dev.holdfast.llm.account.AccountListener;
import dev.holdfast.llm.account.AccountSettings;
import dev.holdfast.llm.account.Accounts;
import dev.holdfast.postgres.session.PostgresAccountStore;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEvent.AutoRetryEnd;
import dev.holdfast.session.event.SessionEvent.AutoRetryStart;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import java.util.ArrayList;
import java.util.List;

/**
 * Sessions behind the guard of a worker with default settings. One attempt per turn where nothing
 * else is said, so that the numbers are the auto-retry's alone.
 */
record GuardedBenches(TestDatabase database) {
  /** How the session words {@link Replies#broken}. */
  static final String WORDS = "model error 500: Internal Server Error";

  /** Opens what an earlier test has closed. */
  void openAll() {
    new TicketDatabase(database).run("DELETE FROM holdfast.provider_cooldowns");
  }

  Bench guarded(Bench bench) {
    PostgresAccountStore store =
        new PostgresAccountStore(
            database.dataSource(), "holdfast", AccountSettings.DEFAULT, "worker");
    AccountCache book = new AccountCache(store, AccountSettings.DEFAULT, bench.nanos::get, () -> 0);
    bench.guard = new Accounts(book, bench.sleeper, AccountListener.NONE);
    return bench.autoRetry();
  }

  Bench bench(CallResult... script) {
    return guarded(Bench.with(script)).maxRetries(1);
  }

  Bench failing(int times, CallResult... then) {
    List<CallResult> script = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      script.add(Replies.broken());
    }
    script.addAll(List.of(then));
    return bench(script.toArray(CallResult[]::new));
  }

  static Bench maxRetries(Bench bench, int max) {
    AutoRetrySettings before = bench.settings.autoRetry();
    bench.settings =
        bench.settings.withAutoRetry(
            new AutoRetrySettings(true, max, before.baseDelay(), false, false));
    return bench;
  }

  static List<SessionEvent> retryEvents(Bench bench) {
    return bench.events.stream()
        .filter(each -> each instanceof AutoRetryStart || each instanceof AutoRetryEnd)
        .toList();
  }
}
