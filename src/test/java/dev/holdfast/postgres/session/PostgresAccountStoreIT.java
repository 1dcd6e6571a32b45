package dev.holdfast.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Category;
import dev.holdfast.llm.account.AccountFailure;
import dev.holdfast.llm.account.AccountFailure.Reason;
import dev.holdfast.llm.account.AccountSettings;
import dev.holdfast.llm.account.AccountStore.Probe;
import dev.holdfast.llm.account.AccountStore.Reservation;
import dev.holdfast.llm.account.Closure;
import dev.holdfast.llm.account.OutageSettings;
import dev.holdfast.llm.account.Scope;
import dev.holdfast.postgres.TestSql;
import dev.holdfast.postgres.inbox.PostgresSpendingDesk;
import dev.holdfast.postgres.read.PostgresPeopleNotices;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.PeopleNotices;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.ticket.TicketWait;
import java.math.BigDecimal;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the database decides of accounts and budgets, whoever asks first. */
@WithDatabase
@Timeout(120)
@EverySetup
class PostgresAccountStoreIT {
  private static final Scope KEY = new Scope("openai", "abc", "");
  private static final Scope OTHER_KEY = new Scope("other", "abc", "");
  private static final Scope PROVIDER = new Scope("openai", "", "");
  private static final BigDecimal ONE = BigDecimal.ONE;

  private final TestDatabase database;
  private final TicketDatabase sql;

  PostgresAccountStoreIT(TestDatabase database) {
    this.database = database;
    this.sql = new TicketDatabase(database);
  }

  @BeforeEach
  void empty() {
    for (String table : List.of("provider_cooldowns", "budgets", "budget_reservations")) {
      sql.run("DELETE FROM holdfast." + table);
    }
  }

  @Test
  @DisplayName(
      "a budget that is removed while a worker configures it keeps what calls have reserved")
  void configuredWhileRemoved() throws Exception {
    String configure = "SELECT holdfast.configure_budget('day', 'day', 5, 'w1')";
    sql.run(configure);
    sql.run("SELECT FROM holdfast.reserve_budget('{day}', 3, 1, 1)");
    try (Connection removing = database.dataSource().getConnection()) {
      removing.setAutoCommit(false);
      removing.createStatement().execute("SELECT holdfast.remove_budget('day', 'ann')");
      CompletableFuture<Void> configuring = CompletableFuture.runAsync(() -> sql.run(configure));
      Awaitility.await("the worker waits")
          .until(
              () ->
                  sql.number(
                          "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                              + " AND wait_event_type = 'Lock'")
                      > 0);
      removing.commit();
      configuring.get();
    }
    assertThat(sql.number("SELECT reserved_usd FROM holdfast.budgets")).isEqualTo(3);
  }

  private PostgresAccountStore store(String worker) {
    return new PostgresAccountStore(
        database.dataSource(), "holdfast", AccountSettings.DEFAULT, worker);
  }

  private static AccountFailure failure(
      Scope scope, Reason reason, @Nullable Duration hint, boolean weak) {
    return new AccountFailure(scope, reason, "no", 429, hint, weak);
  }

  private Duration left() {
    Duration left = only().left();
    return left == null ? Duration.ofDays(-1) : left;
  }

  private Closure only() {
    List<Closure> all = store("w").state().closures();
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  @Test
  @DisplayName(
      "A24: a later, shorter hint never shortens a cool-down, a longer one lengthens it, and only"
          + " the first is news; a hint past all reason is cut to cooldown.max-hint")
  void hints() {
    PostgresAccountStore store = store("one");
    assertThat(store.failed(failure(KEY, Reason.RATE_LIMIT, Duration.ofSeconds(30), false), 1))
        .isTrue();
    assertThat(
            store("two").failed(failure(KEY, Reason.RATE_LIMIT, Duration.ofSeconds(1), false), 2))
        .isFalse();
    assertThat(left()).isGreaterThan(Duration.ofSeconds(25));
    store.failed(failure(KEY, Reason.RATE_LIMIT, Duration.ofSeconds(90), false), 3);
    assertThat(left()).isBetween(Duration.ofSeconds(80), Duration.ofSeconds(90));
    store.failed(failure(KEY, Reason.RATE_LIMIT, Duration.ofSeconds(Long.MAX_VALUE / 2), false), 3);
    assertThat(left()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    store.answered(KEY);
    assertThat(left()).as("that answer was on its way before").isGreaterThan(Duration.ZERO);
  }

  @Test
  @DisplayName(
      "issue 5.2: at its end one caller tries and the others wait; a try that is lost is another's;"
          + " an answer opens, a failure doubles the wait")
  void probes() {
    PostgresAccountStore one = store("one");
    PostgresAccountStore two = store("two");
    one.failed(failure(KEY, Reason.RATE_LIMIT, null, false), 1);
    assertThat(one.takeProbe(KEY, Duration.ofMinutes(1))).isEqualTo(Probe.WAIT);
    over();
    assertThat(one.takeProbe(KEY, Duration.ofMinutes(1))).isEqualTo(Probe.TAKEN);
    assertThat(two.takeProbe(KEY, Duration.ofMinutes(1))).isEqualTo(Probe.WAIT);
    two.endProbe(KEY);
    assertThat(two.takeProbe(KEY, Duration.ofMinutes(1))).as("not its own").isEqualTo(Probe.WAIT);
    sql.run("UPDATE holdfast.provider_cooldowns SET probe_until = now() - interval '1 second'");
    assertThat(two.takeProbe(KEY, Duration.ofMinutes(1))).isEqualTo(Probe.TAKEN);
    two.failed(failure(KEY, Reason.RATE_LIMIT, null, false), 2);
    assertThat(only().length()).isEqualTo(Duration.ofSeconds(10));
    over();
    assertThat(two.takeProbe(KEY, Duration.ofMinutes(1))).isEqualTo(Probe.TAKEN);
    two.answered(KEY);
    assertThat(one.takeProbe(KEY, Duration.ofMinutes(1))).isEqualTo(Probe.OPEN);
    assertThat(one.state().closures()).isEmpty();
  }

  @Test
  @DisplayName(
      "issue 5.2: nobody waits for the try of a worker that died, once its leases are over; one"
          + " that lives is waited for")
  void lostProbe() {
    PostgresAccountStore one = store("one");
    PostgresAccountStore two = store("two");
    sql.run(
        "INSERT INTO holdfast.leases (id, claimed_at, expires_at, worker_id, ids) VALUES"
            + " (987654321, now(), now() + interval '1 minute', 'one', '{}')");
    one.failed(failure(KEY, Reason.RATE_LIMIT, null, false), 1);
    over();
    assertThat(one.takeProbe(KEY, Duration.ofHours(1))).isEqualTo(Probe.TAKEN);
    two.upkeep(OutageSettings.DEFAULT);
    assertThat(two.takeProbe(KEY, Duration.ofMinutes(1))).isEqualTo(Probe.WAIT);
    sql.run("UPDATE holdfast.leases SET expires_at = now() WHERE id = 987654321");
    two.upkeep(OutageSettings.DEFAULT);
    sql.run("DELETE FROM holdfast.leases WHERE id = 987654321");
    assertThat(two.takeProbe(KEY, Duration.ofMinutes(1))).isEqualTo(Probe.TAKEN);
  }

  private void over() {
    sql.run("UPDATE holdfast.provider_cooldowns SET until = now() - interval '1 second'");
  }

  @Test
  @DisplayName(
      "an outage takes three failures in a row; plain 500s count only from different tickets, so"
          + " that one poisoned request closes nothing")
  void outage() {
    PostgresAccountStore store = store("one");
    for (int i = 0; i < 10; i++) {
      store.failed(failure(PROVIDER, Reason.OUTAGE, null, true), 7);
    }
    assertThat(only().left()).as("one ticket's 500s").isNull();
    store.failed(failure(PROVIDER, Reason.OUTAGE, null, true), 8);
    assertThat(only().left()).isNull();
    assertThat(store.failed(failure(PROVIDER, Reason.OUTAGE, null, true), 9)).isTrue();
    assertThat(left()).isGreaterThan(Duration.ZERO);
  }

  @Test
  @DisplayName("a dead key is told once, and no answer or cool-down opens it; a person does")
  void breaker() {
    PostgresAccountStore store = store("one");
    assertThat(store.failed(failure(KEY, Reason.AUTH, null, false), 1)).isTrue();
    assertThat(store.failed(failure(KEY, Reason.AUTH, null, false), 2)).isFalse();
    store.failed(failure(KEY, Reason.RATE_LIMIT, Duration.ofSeconds(1), false), 2);
    store.answered(KEY);
    assertThat(only().needsPerson()).isTrue();
    assertThat(
            sql.number(
                "SELECT count(*) FROM holdfast.ticket_activity WHERE action ="
                    + " 'provider_unavailable'"))
        .isEqualTo(1);
    PostgresSpendingDesk desk = new PostgresSpendingDesk(database.dataSource(), "holdfast");
    assertThat(desk.providers().getFirst().state()).isEqualTo("unavailable");
    assertThat(desk.mend("openai", "ann", null).accounts()).isEqualTo(1);
    assertThat(store.state().closures()).isEmpty();
  }

  @Test
  @DisplayName("issue 5.3: twenty workers on one budget end within one call of it")
  void twentyWorkers() throws Exception {
    BigDecimal cost = new BigDecimal("0.07");
    store("one").configure("day", "day", ONE);
    List<Callable<Integer>> workers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      PostgresAccountStore own = store("worker-" + i);
      workers.add(() -> spendAll(own, cost));
    }
    int calls = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(20)) {
      for (Future<Integer> each : threads.invokeAll(workers)) {
        calls += each.get();
      }
    }
    BigDecimal spent =
        new BigDecimal(sql.value("SELECT spent_usd FROM holdfast.budgets WHERE scope = 'day'"));
    assertThat(spent).isEqualByComparingTo(cost.multiply(BigDecimal.valueOf(calls)));
    assertThat(spent).isBetween(ONE.subtract(new BigDecimal("0.10")), ONE);
    assertThat(sql.number("SELECT reserved_usd::bigint FROM holdfast.budgets")).isZero();
  }

  /** Each call may cost 0.10 at worst and costs 0.07; until the rest is less than that. */
  private static int spendAll(PostgresAccountStore own, BigDecimal cost) {
    BigDecimal worst = new BigDecimal("0.10");
    int calls = 0;
    while (true) {
      switch (own.reserve(List.of("day"), worst, 1, 1)) {
        case Reservation.Granted granted -> {
          own.settle(granted.id(), cost);
          calls++;
        }
        case Reservation.NoRoom full -> {
          if (full.spent().add(worst).compareTo(full.limit()) > 0) {
            return calls;
          }
        }
      }
    }
  }

  @Test
  @DisplayName(
      "issue 5.3: a call whose worker died counts at its worst, once; a settlement that comes later"
          + " changes nothing")
  void lost() {
    PostgresAccountStore store = store("one");
    store.configure("day", "day", ONE);
    Reservation.Granted granted =
        (Reservation.Granted) store.reserve(List.of("day"), new BigDecimal("0.4"), 1, 987654321);
    store.upkeep(OutageSettings.DEFAULT);
    store.settle(granted.id(), new BigDecimal("0.1"));
    assertThat(
            sql.value(
                "SELECT spent_usd || ' ' || reserved_usd::bigint FROM holdfast.budgets WHERE scope"
                    + " = 'day'"))
        .isEqualTo("0.4 0");
  }

  @Test
  @DisplayName("what was closed or spent while the server's clock was ahead stays no longer for it")
  void clockWasAhead() {
    PostgresAccountStore store = store("one");
    store.configure("day", "day", ONE);
    store.failed(failure(KEY, Reason.RATE_LIMIT, Duration.ofSeconds(30), false), 1);
    store.upkeep(OutageSettings.DEFAULT);
    assertThat(left()).as("not longer than it is").isGreaterThan(Duration.ofSeconds(20));
    sql.run("UPDATE holdfast.provider_cooldowns SET until = until + interval '9 days'");
    sql.run("UPDATE holdfast.budgets SET spent_usd = limit_usd, day = day + 9");
    store.upkeep(OutageSettings.DEFAULT);
    assertThat(left()).isLessThanOrEqualTo(Duration.ZERO);
    sql.run("UPDATE holdfast.budgets SET day = day - 1");
    assertThat(store.reserve(List.of("day"), ONE, 1, 1)).isInstanceOf(Reservation.Granted.class);
  }

  private static final String BUDGETS =
      "SELECT concat_ws(' ', scope, limit_usd, per) FROM holdfast.budgets ORDER BY scope";

  @Test
  @DisplayName(
      "a new day starts at nothing by the database's clock; several budgets are taken together or"
          + " not at all; a budget that is raised by hand keeps its amount and its period over"
          + " restarts, until the configuration says something else")
  void days() {
    PostgresAccountStore store = store("one");
    store.configure("day", "day", ONE);
    store.configure("design:a", "total", new BigDecimal("0.1"));
    assertThat(store.reserve(List.of("day", "design:a"), new BigDecimal("0.5"), 1, 1))
        .isInstanceOfSatisfying(
            Reservation.NoRoom.class, each -> assertThat(each.scope()).isEqualTo("design:a"));
    assertThat(sql.number("SELECT count(*) FROM holdfast.budgets WHERE reserved_usd > 0")).isZero();
    sql.run("UPDATE holdfast.budgets SET spent_usd = limit_usd, day = day - 1");
    assertThat(store.reserve(List.of("day"), ONE, 1, 1)).isInstanceOf(Reservation.Granted.class);
    assertThat(store.reserve(List.of("design:a"), ONE, 1, 1))
        .isInstanceOf(Reservation.NoRoom.class);
    PostgresSpendingDesk desk = new PostgresSpendingDesk(database.dataSource(), "holdfast");
    desk.raise("day", BigDecimal.TEN, "ann", null);
    desk.raise("design:a", BigDecimal.TEN, "ann", "day");
    store.configure("day", "day", ONE);
    store.configure("design:a", "total", new BigDecimal("0.1"));
    assertThat(sql.column(BUDGETS)).containsExactly("day 10 day", "design:a 10 day");
    store.configure("design:a", "day", new BigDecimal("0.1"));
    assertThat(sql.column(BUDGETS)).containsExactly("day 10 day", "design:a 0.1 day");
    for (String bad : List.of("-1", "NaN", "1000000001")) {
      assertThatThrownBy(
              () -> sql.run("SELECT holdfast.raise_budget('day', ?::numeric, 'ann')", bad))
          .hasStackTraceContaining("a budget is an amount of USD");
    }
    assertThatThrownBy(() -> desk.raise("week", ONE, "ann", null))
        .isInstanceOf(InvalidInputException.class);
    assertThatThrownBy(() -> desk.raise("day", ONE, "ann", "week"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("a budget is per day or total, not per week");
  }

  @Test
  @DisplayName(
      "a budget of before V20, which does not know the configured period, keeps the period that a"
          + " person has set")
  void periodOfBeforeV20() {
    PostgresAccountStore store = store("one");
    store.configure("day", "total", ONE);
    new PostgresSpendingDesk(database.dataSource(), "holdfast")
        .raise("day", BigDecimal.TEN, "ann", "day");
    sql.run("UPDATE holdfast.budgets SET configured_per = NULL");
    store.configure("day", "total", ONE);
    assertThat(sql.column(BUDGETS)).containsExactly("day 10 day");
    store.configure("day", "total", ONE);
    assertThat(sql.column(BUDGETS)).containsExactly("day 10 day");
    store.configure("day", "day", ONE);
    assertThat(sql.column(BUDGETS)).containsExactly("day 1 day");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName(
      "issue 5.3: a budget that is made anew knows what calls on their way have reserved of it")
  void madeAnew(boolean byPerson) {
    PostgresAccountStore store = store("one");
    PostgresSpendingDesk desk = new PostgresSpendingDesk(database.dataSource(), "holdfast");
    store.configure("day", "day", ONE);
    Reservation.Granted underWay =
        (Reservation.Granted) store.reserve(List.of("day"), new BigDecimal("0.6"), 1, 1);
    desk.remove("day", "ann");
    if (byPerson) {
      desk.raise("day", ONE, "ann", null);
    } else {
      store.configure("day", "day", ONE);
    }
    assertThat(store.reserve(List.of("day"), new BigDecimal("0.5"), 1, 1))
        .isInstanceOf(Reservation.NoRoom.class);
    Reservation.Granted second =
        (Reservation.Granted) store.reserve(List.of("day"), new BigDecimal("0.4"), 1, 1);
    store.settle(underWay.id(), new BigDecimal("0.2"));
    assertThat(sql.value("SELECT spent_usd || ' ' || reserved_usd FROM holdfast.budgets"))
        .isEqualTo("0.2 0.4");
    store.settle(second.id(), BigDecimal.ZERO);
  }

  @ParameterizedTest
  @ValueSource(strings = {"key:openai/key-1", "key:nosuch/zzz", "key:none", "key:/none"})
  @DisplayName("a budget of what can be no key would cap nothing: it is refused")
  void unknownKey(String scope) {
    PostgresSpendingDesk desk = new PostgresSpendingDesk(database.dataSource(), "holdfast");
    assertThatThrownBy(() -> desk.raise(scope, ONE, "ann", null))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith("\"" + scope + "\" is the scope of no key");
    assertThat(sql.number("SELECT count(*) FROM holdfast.budgets")).isZero();
    desk.raise("key:openai/2a19f16bb258", ONE, "ann", null);
    desk.raise("key:local/none", ONE, "ann", null);
    assertThat(sql.number("SELECT count(*) FROM holdfast.budgets")).isEqualTo(2);
  }

  @Test
  @DisplayName("a budget of a design that there is not would cap nothing: it is refused")
  void unknownDesign() {
    PostgresSpendingDesk desk = new PostgresSpendingDesk(database.dataSource(), "holdfast");
    assertThatThrownBy(() -> desk.raise("design:repot", ONE, "ann", null))
        .isInstanceOf(NotFoundException.class)
        .hasMessageStartingWith("there is no design \"repot\"");
    assertThat(sql.number("SELECT count(*) FROM holdfast.budgets")).isZero();
    sql.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('report', 1, 'job',"
            + " '{}')");
    desk.raise("design:report", ONE, "ann", null);
    assertThat(sql.column(BUDGETS)).containsExactly("design:report 1 day");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT holdfast.raise_budget('day', 100, 'ann')",
        "SELECT holdfast.remove_budget('day', 'ann')"
      })
  @DisplayName(
      "issue 5.3: a raised or removed budget releases what it held, also while a worker looks")
  void releasesWhileAWorkerLooks(String change) throws Exception {
    sql.run(
        "INSERT INTO holdfast.budgets (scope, per, limit_usd, changed_by) VALUES ('day', 'day', 0,"
            + " 'w')");
    long id =
        sql.number(
            "INSERT INTO holdfast.tickets (kind, state, held_at, hold_reason) VALUES ('costly',"
                + " 'on_hold', now(), 'budget_exceeded: budget day') RETURNING id");
    sql.run(
        "INSERT INTO holdfast.ticket_waits (ticket_id, lease_no, kind, scopes, words, needed_usd)"
            + " VALUES (?, 0, 'budget', '{day}', 'budget day', 1)",
        id);
    try (Connection worker = database.dataSource().getConnection();
        ExecutorService person = Executors.newVirtualThreadPerTaskExecutor()) {
      worker.setAutoCommit(false);
      TestSql.column(
          worker, "SELECT pg_advisory_xact_lock(hashtext('holdfast.release_waiting'))::text");
      Future<Long> released = person.submit(() -> sql.number(change));
      Awaitility.await()
          .until(
              () ->
                  released.isDone()
                      || sql.number(
                              "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT"
                                  + " granted AND database = (SELECT oid FROM pg_database WHERE"
                                  + " datname = current_database())")
                          > 0);
      worker.commit();
      assertThat(released.get()).isEqualTo(1);
    }
    assertThat(sql.state(id)).isEqualTo("ready");
  }

  @Test
  @DisplayName("A wait that begins anew while old waits are swept stays")
  void newWaitStays() throws Exception {
    long id = sql.number("INSERT INTO holdfast.tickets (kind) VALUES ('patient') RETURNING id");
    sql.run(
        "INSERT INTO holdfast.ticket_waits (ticket_id, lease_no, kind, scopes, words) VALUES (?, 0,"
            + " 'provider', '{openai/abc/}', 'openai')",
        id);
    try (Connection worker = database.dataSource().getConnection();
        ExecutorService sweeper = Executors.newVirtualThreadPerTaskExecutor()) {
      worker.setAutoCommit(false);
      TestSql.column(
          worker,
          "UPDATE holdfast.ticket_waits SET lease_no = 1 WHERE ticket_id = "
              + id
              + " RETURNING lease_no::text");
      Future<Long> swept = sweeper.submit(() -> sql.number("SELECT holdfast.release_waiting('w')"));
      Awaitility.await()
          .until(
              () ->
                  swept.isDone()
                      || sql.number(
                              "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                  + " AND datname = current_database()")
                          > 0);
      assertThat(swept.isDone()).isFalse();
      worker.commit();
      swept.get();
    }
    assertThat(sql.number("SELECT lease_no FROM holdfast.ticket_waits WHERE ticket_id = ?", id))
        .isEqualTo(1);
  }

  private long held(String queue, String reason, String kind, String scope, @Nullable String usd) {
    long id =
        sql.number(
            "INSERT INTO holdfast.tickets (kind, queue, state, held_at, hold_reason) VALUES"
                + " ('costly', ?, 'on_hold', now(), ?) RETURNING id",
            queue,
            reason);
    sql.run(
        "INSERT INTO holdfast.ticket_waits (ticket_id, lease_no, kind, scopes, words, needed_usd)"
            + " VALUES (?, 0, ?, ARRAY[?], 'it waits', ?::numeric)",
        id,
        kind,
        scope,
        usd);
    return id;
  }

  @Test
  @DisplayName(
      "5.3: what a model without a price holds waits for a person, whatever room its budget has,"
          + " and makes it no budget that is used up; an undone release leaves the wait as it was")
  void unpricedAndUndone() {
    sql.run(
        "INSERT INTO holdfast.budgets (scope, per, limit_usd, changed_by) VALUES ('day', 'day', 5,"
            + " 'w')");
    long unpriced = held("q", "budget_exceeded: m has no price", "budget", "day", null);
    assertThat(sql.number("SELECT holdfast.note_budgets()")).as("the budget has room").isZero();
    long full = held("q", "budget_exceeded: budget day", "budget", "day", "7");
    assertThat(sql.number("SELECT holdfast.note_budgets()")).isEqualTo(1);
    assertThat(sql.number("SELECT holdfast.release_waiting('w')")).isZero();
    sql.run("SELECT holdfast.release_ticket(?, 'ann')", full);
    sql.run("SELECT holdfast.release_waiting('w')");
    sql.run("SELECT holdfast.unrelease_ticket(?, 'ann')", full);
    assertThat(sql.number("SELECT holdfast.raise_budget('day', 9, 'ann')")).isEqualTo(1);
    assertThat(sql.state(full)).isEqualTo("ready");
    assertThat(sql.state(unpriced)).isEqualTo("on_hold");
  }

  @Test
  @DisplayName(
      "issue 20: the ticket that tries a provider after an outage is none of a paused queue, and"
          + " one that nobody claims is waited for a minute")
  void trials() {
    store("one").failed(failure(KEY, Reason.OUTAGE, null, false), 1);
    over();
    String reason = "provider_unavailable: openai";
    long paused = held("paused", reason, "outage", KEY.text(), null);
    sql.run("SELECT holdfast.pause_queue('paused', 'ann')");
    long first = held("open", reason, "outage", KEY.text(), null);
    long second = held("open", reason, "outage", KEY.text(), null);
    assertThat(sql.number("SELECT holdfast.release_waiting('w')")).isEqualTo(1);
    assertThat(sql.state(first)).isEqualTo("ready");
    assertThat(sql.number("SELECT holdfast.release_waiting('w')")).isZero();
    sql.run("UPDATE holdfast.released_holds SET released_at = released_at - interval '61 s'");
    assertThat(sql.number("SELECT holdfast.release_waiting('w')")).isEqualTo(1);
    assertThat(sql.state(second)).isEqualTo("ready");
    assertThat(sql.state(paused)).isEqualTo("on_hold");
  }

  @Test
  @DisplayName(
      "issue 20: of many held tickets each cool-down lets one try; in vain it is held again at"
          + " once, of which nobody is told, and the next one tries; an answer lets all of them go")
  void trialsInVain() {
    int tickets = 50;
    PostgresAccountStore store = store("one");
    TestQueue queue = TestQueue.on(sql);
    queue.enqueue(tickets);
    store.failed(failure(OTHER_KEY, Reason.RATE_LIMIT, null, false), 1);
    putOff(queue, tickets);
    for (String table : List.of("ticket_waits", "provider_cooldowns")) {
      sql.run("UPDATE holdfast." + table + " SET since = since - interval '7 h'");
    }
    store.upkeep(OutageSettings.DEFAULT);
    assertThat(onHold(queue)).isEqualTo(tickets);
    assertThat(holdsToldOf(queue, 0)).isEqualTo(tickets);

    long told = sql.number("SELECT max(id) FROM holdfast.ticket_activity");
    Set<Long> tried = new HashSet<>();
    for (int coolDown = 1; coolDown <= 4; coolDown++) {
      over();
      store.upkeep(OutageSettings.DEFAULT);
      store.failed(failure(OTHER_KEY, Reason.RATE_LIMIT, null, false), 1);
      tried.addAll(putOff(queue, 1));
      store.upkeep(OutageSettings.DEFAULT);
      assertThat(onHold(queue)).as("cool-down %s", coolDown).isEqualTo(tickets);
    }
    assertThat(tried).hasSize(4);
    assertThat(holdsToldOf(queue, told)).as("again").isZero();
    over();
    store.upkeep(OutageSettings.DEFAULT);
    assertThat(holdsToldOf(queue, 0)).as("a receiver that reads late").isEqualTo(tickets);

    over();
    store.answered(OTHER_KEY);
    store.upkeep(OutageSettings.DEFAULT);
    assertThat(holdsToldOf(queue, 0)).as("it is over, but for the one that tries").isEqualTo(1);
    assertThat(queue.claim(tickets)).hasSize(tickets);
  }

  @Test
  @DisplayName(
      "T4: a provider of one key that answers 429 for hours is out while a ticket waits for it,"
          + " also while the ticket tries; without one it is nobody's outage")
  void keyIsOut() {
    PostgresAccountStore store = store("one");
    TestQueue queue = TestQueue.on(sql);
    long id = queue.enqueue();
    store.failed(failure(OTHER_KEY, Reason.RATE_LIMIT, Duration.ofMinutes(5), false), 1);
    sql.run("UPDATE holdfast.provider_cooldowns SET since = since - interval '7 h'");
    assertThat(only().outage()).as("nothing waits").isNull();
    putOff(queue, 1);
    assertThat(only().outage()).isGreaterThan(Duration.ofHours(6));
    queue.makeDue(id);
    queue.claim();
    assertThat(only().outage()).as("it tries").isGreaterThan(Duration.ofHours(6));
    sql.run("SELECT holdfast.cancel_ticket(?, 'ann', 'no')", id);
    assertThat(only().outage()).as("it is cancelled").isNull();
  }

  @Test
  @DisplayName(
      "B56: people are told of a provider of one key that answers 429 for hours, also where its"
          + " tickets are held before anybody could tell")
  void keyIsOutAndHeld() {
    PostgresAccountStore store = store("one");
    TestQueue queue = TestQueue.on(sql);
    long id = queue.enqueue();
    store.failed(failure(OTHER_KEY, Reason.RATE_LIMIT, Duration.ofMinutes(5), false), 1);
    putOff(queue, 1);
    for (String table : List.of("ticket_waits", "provider_cooldowns")) {
      sql.run("UPDATE holdfast." + table + " SET since = since - interval '7 h'");
    }
    assertThat(store.upkeep(OutageSettings.DEFAULT)).as("the outage").hasSize(1);
    assertThat(onHold(queue)).isEqualTo(1);
    sql.run("SELECT holdfast.cancel_ticket(?, 'ann', 'over')", id);
  }

  /** What others do while something waits for a ticket that somebody has locked. */
  private void meanwhile(long locked, Runnable waits, Runnable others) throws Exception {
    try (Connection person = database.dataSource().getConnection();
        ExecutorService worker = Executors.newVirtualThreadPerTaskExecutor()) {
      person.setAutoCommit(false);
      TestSql.column(
          person, "SELECT id::text FROM holdfast.ticket_base WHERE id = " + locked + " FOR UPDATE");
      Future<?> done = worker.submit(waits);
      Awaitility.await()
          .until(
              () ->
                  done.isDone()
                      || sql.number(
                              "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                  + " AND datname = current_database()")
                          > 0);
      try {
        others.run();
      } finally {
        person.commit();
      }
      done.get();
    }
  }

  @Test
  @DisplayName("What a person has put on hold while the tickets of a budget are released stays so")
  void personsHoldStays() throws Exception {
    sql.run(
        "INSERT INTO holdfast.budgets (scope, per, limit_usd, changed_by) VALUES ('day', 'day', 0,"
            + " 'w')");
    long first = held("q", "budget_exceeded: budget day", "budget", "day", "1");
    long second = held("q", "budget_exceeded: budget day", "budget", "day", "1");
    meanwhile(
        first,
        () -> assertThat(sql.number("SELECT holdfast.raise_budget('day', 9, 'ann')")).isEqualTo(1),
        () -> {
          sql.run("SELECT holdfast.release_ticket(?, 'bob')", second);
          sql.run("SELECT holdfast.hold_ticket(?, 'bob', 'not this one')", second);
        });
    assertThat(sql.state(first)).isEqualTo("ready");
    assertThat(sql.state(second)).isEqualTo("on_hold");
  }

  @Test
  @DisplayName(
      "A ticket that has had its answer while those of an outage are held is not held with them")
  void answeredMeanwhile() throws Exception {
    PostgresAccountStore store = store("one");
    TestQueue queue = TestQueue.on(sql);
    queue.enqueue(2);
    store.failed(failure(OTHER_KEY, Reason.RATE_LIMIT, Duration.ofMinutes(5), false), 1);
    List<Long> ids = putOff(queue, 2).stream().sorted().toList();
    for (String table : List.of("ticket_waits", "provider_cooldowns")) {
      sql.run("UPDATE holdfast." + table + " SET since = since - interval '7 h'");
    }
    meanwhile(
        ids.getFirst(),
        () -> store.upkeep(OutageSettings.DEFAULT),
        () -> {
          queue.makeDue(ids.getLast());
          List<ClaimedTicket> tried = queue.claim(2);
          assertThat(tried).extracting(ClaimedTicket::id).containsExactly(ids.getLast());
          queue.fail(ids.getLast(), tried.getFirst().lease().no(), Category.TRANSIENT);
        });
    assertThat(onHold(queue)).isEqualTo(1);
    assertThat(sql.state(ids.getLast())).isEqualTo("ready");
  }

  /** All that may be claimed is tried and has to wait for the key; exactly so many. */
  private static List<Long> putOff(TestQueue queue, int expected) {
    List<ClaimedTicket> tickets = queue.claim(expected + 1);
    assertThat(tickets).hasSize(expected);
    TicketWait wait =
        new TicketWait(TicketWait.Kind.PROVIDER, List.of(OTHER_KEY.text()), "openai", null);
    List<Finish> results = new ArrayList<>();
    for (ClaimedTicket each : tickets) {
      results.add(new Finish.Deferred(each.id(), each.lease().no(), Duration.ofMinutes(5), wait));
    }
    queue.queue().finish(results, List.of(tickets.getFirst().lease().no()));
    return tickets.stream().map(ClaimedTicket::id).toList();
  }

  private long onHold(TestQueue queue) {
    return sql.number(
        "SELECT count(*) FROM holdfast.tickets WHERE kind = ? AND state = 'on_hold'", queue.kind());
  }

  private long holdsToldOf(TestQueue queue, long after) {
    return new PostgresPeopleNotices(database.dataSource(), "holdfast")
        .after(after, 1000).notices().stream()
            .filter(
                each ->
                    each instanceof PeopleNotices.HoldNotice hold
                        && hold.kind().equals(queue.kind()))
            .count();
  }

  @Test
  @DisplayName("5.2: a call that finds all connections in use waits for one to reserve its cost")
  void waitsForConnection() throws Exception {
    store("one").configure("day", "day", ONE);
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(250);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      Connection taken = pool.getConnection();
      Persistence patient = new Persistence(time -> PostgresAllowanceStoreIT.giveBack(taken));
      PostgresAccountStore store =
          new PostgresAccountStore(pool, "holdfast", AccountSettings.DEFAULT, "one", patient);
      assertThat(store.reserve(List.of("day"), ONE, 1, 1)).isInstanceOf(Reservation.Granted.class);
    }
  }
}
