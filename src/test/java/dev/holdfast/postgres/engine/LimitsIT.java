package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Category;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.ClaimRequest.Room;
import dev.holdfast.queue.Expiry;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Review;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
@DisplayName("Under a limit")
class LimitsIT {
  private final TicketDatabase database;
  @AutoClose private final HikariDataSource pool;
  private final PostgresTicketInbox inbox;
  private final TestQueue queue;
  private final String name;

  LimitsIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(6);
    this.inbox = new PostgresTicketInbox(pool);
    this.queue = TestQueue.on(new TicketDatabase(pool));
    this.name = "q-" + queue.kind().substring(5, 20);
    this.database.run("INSERT INTO holdfast.queues (name) VALUES (?)", name);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
    assertThat(database.number("SELECT holdfast.mend_lines()")).as("slots left over").isZero();
    database.run(
        "TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.deferred, holdfast.leases,"
            + " holdfast.suspects, holdfast.in_line, holdfast.line_slots, holdfast.line_gates,"
            + " holdfast.claim_limits, holdfast.limit_gates, holdfast.fairness_weights,"
            + " holdfast.ticket_deadlines, holdfast.ticket_dependencies, holdfast.ticket_attempts");
  }

  /** Claims so many tickets and is lost; their retries are due. */
  private void workerDies(int tickets) {
    queue.expire(queue.claim(2 * tickets).getFirst().lease().no());
    assertThat(queue.queue().rescue(2 * tickets)).hasSize(tickets);
    database.run(
        "UPDATE holdfast.ticket_base SET retry_after = now() - interval '1 second'"
            + " WHERE retry_after IS NOT NULL");
    database.run("UPDATE holdfast.deferred SET run_at = now() - interval '1 second'");
  }

  private void limit(String settings) {
    database.run("SELECT holdfast.set_limit('queue:' || ?, 'ann', " + settings + ")", name);
  }

  private NewTicket ticket() {
    return NewTicket.ofKind(queue.kind()).withQueue(name);
  }

  private NewTicket keyed(String key) {
    return ticket().withConcurrencyKey(key);
  }

  private List<Long> enqueue(int count) {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(inbox.enqueue(ticket()));
    }
    return ids;
  }

  private List<Long> claim(int most) {
    return queue.claim(most).stream().map(ClaimedTicket::id).toList();
  }

  private long lease(long id) {
    return database.number("SELECT lease_no FROM holdfast.tickets WHERE id = ?", id);
  }

  private String waitsFor(long id) {
    return database.value(
        "SELECT kind || '|' || waits_for FROM holdfast.waiting_tickets WHERE ticket_id = ?", id);
  }

  private String readyAndLimited() {
    return database.value(
        "SELECT ready || ' ' || waiting_for_limit FROM holdfast.queue_health WHERE queue = ?",
        name);
  }

  @Test
  @DisplayName("two people who set the first limit of a scope at the same moment both do")
  void setAtOnce() throws Exception {
    TicketDatabase pooled = new TicketDatabase(pool);
    Callable<Boolean> setting =
        () -> {
          for (int i = 0; i < 500; i++) {
            pooled.run("SELECT holdfast.set_limit('queue:' || ?, 'ann', concurrent => 3)", name);
            if (ThreadLocalRandom.current().nextBoolean()) {
              pooled.run("DELETE FROM holdfast.claim_limits WHERE queue = ?", name);
            }
          }
          return true;
        };
    AtOnce.run(setting, setting);
    limit("concurrent => 2");
    assertThat(
            database.number("SELECT concurrent FROM holdfast.claim_limits WHERE queue = ?", name))
        .isEqualTo(2);
  }

  @Test
  @DisplayName("the health of a queue tells how many of the ready tickets no limit lets start now")
  void health() {
    // Of the highest priority: now and then a claim begins with a low one that has fairness keys.
    inbox.enqueue(ticket().withFairnessKey("acme").withPriority(1000));
    inbox.enqueue(keyed("a"));
    inbox.enqueue(keyed("a"));
    inbox.enqueue(keyed("b"));
    assertThat(readyAndLimited()).as("in line without any limit").isEqualTo("4 0");

    limit("per_key => 1");
    long running = inbox.enqueue(keyed("a").withPriority(1000));
    assertThat(claim(1)).containsExactly(running);
    assertThat(readyAndLimited()).isEqualTo("4 2");
    limit("concurrent => 2");
    assertThat(readyAndLimited()).isEqualTo("4 0");
    limit("concurrent => 1");
    assertThat(readyAndLimited()).isEqualTo("4 4");
    limit("rate => 1, per => '1 hour'");
    assertThat(readyAndLimited()).as("a token is left").isEqualTo("4 0");
    assertThat(claim(1)).hasSize(1);
    assertThat(readyAndLimited()).isEqualTo("3 3");

    database.run("SELECT holdfast.remove_limit('queue:' || ?, 'ann')", name);
    assertThat(readyAndLimited()).isEqualTo("3 0");
    inbox.enqueue(ticket());
    assertThat(readyAndLimited()).isEqualTo("4 0");
  }

  @Test
  @DisplayName(
      "whatever ends an attempt lets the next ticket start; a ticket that waits says for what")
  void everyEnd() {
    limit("concurrent => 1");
    List<Long> ids = enqueue(7);
    database.run(
        "UPDATE holdfast.tickets SET retry_strategy = '{\"crash_limit\": 5}' WHERE queue = ?",
        name);
    assertThat(claim(10)).containsExactly(ids.get(0));
    assertThat(claim(10)).isEmpty();
    assertThat(waitsFor(ids.get(1))).isEqualTo("limit|the limit of queue:" + name + ", 1 at once");
    assertThat(database.ticket(ids.get(1)))
        .containsEntry("state", "ready")
        .containsEntry("retry_count", "0");

    queue.succeed(ids.get(0), lease(ids.get(0)));
    assertThat(claim(10)).containsExactly(ids.get(1));
    queue.fail(ids.get(1), lease(ids.get(1)), Category.TRANSIENT);
    assertThat(claim(10))
        .as("one that waits for its retry holds no place")
        .containsExactly(ids.get(2));
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", ids.get(2));
    assertThat(claim(10)).containsExactly(ids.get(3));
    database.run("SELECT holdfast.cancel_ticket(?, 'ann', 'no')", ids.get(3));
    assertThat(claim(10)).containsExactly(ids.get(4));
    queue.giveBack(ids.get(4), lease(ids.get(4)));
    assertThat(claim(10))
        .as("what comes back joins the line at the next claim")
        .containsExactly(ids.get(5));
    queue.expire(lease(ids.get(5)));
    assertThat(claim(10)).as("a lease that nobody has rescued counts").isEmpty();
    assertThat(queue.queue().rescue(10)).hasSize(1);
    assertThat(claim(10)).containsExactly(ids.get(4));
    queue
        .queue()
        .finish(
            List.of(
                new Finish.Parked(
                    ids.get(4), lease(ids.get(4)), "asks", List.of("release", "cancel"), "{}")),
            List.of(lease(ids.get(4))));
    assertThat(claim(10)).containsExactly(ids.get(6));
    database.run("SELECT holdfast.release_ticket(?, 'ann')", ids.get(2));
    assertThat(claim(10)).isEmpty();
    assertThat(waitsFor(ids.get(2))).startsWith("limit|");
    long lastLease = lease(ids.get(6));
    queue.succeed(ids.get(6), lastLease);
    assertThat(claim(10)).containsExactly(ids.get(2));
    queue.succeed(ids.get(6), lastLease);
    assertThat(claim(10)).as("a finish that is told twice frees nothing").isEmpty();
  }

  @Test
  @DisplayName("suspects of a dead worker, its places, and the retry of one that failed keep to it")
  void suspects() {
    limit("concurrent => 2");
    List<Long> ids = enqueue(2);
    List<ClaimedTicket> claimed = queue.claim(10);
    assertThat(claimed).hasSize(2);
    queue.expire(claimed.getFirst().lease().no());
    assertThat(queue.queue().rescue(10)).hasSize(2);
    database.run("UPDATE holdfast.deferred SET run_at = now()");
    database.run(
        "UPDATE holdfast.ticket_base b SET retry_after = d.run_at FROM holdfast.deferred d WHERE"
            + " b.id = d.id");

    Claim first = queue.queue().claim(request(10, "worker-2"));
    Claim second = queue.queue().claim(request(10, "worker-3"));
    assertThat(first.suspect()).isPresent();
    assertThat(second.suspect()).isPresent();
    assertThat(ids).allSatisfy(id -> assertThat(database.state(id)).isEqualTo("in_progress"));
    assertThat(database.number("SELECT count(*) FROM holdfast.tickets WHERE state = 'in_progress'"))
        .isEqualTo(2);
    long next = enqueue(1).getFirst();
    long suspect = first.suspect().orElseThrow().id();
    queue.succeed(suspect, lease(suspect));
    assertThat(claim(10)).containsExactly(next);
  }

  @Test
  @DisplayName("a suspect that waits for its turn holds no place, and needs one to start")
  void waitingSuspect() {
    limit("concurrent => 3");
    List<Long> ids = enqueue(3);
    workerDies(3);
    long suspect = queue.queue().claim(request(10, "worker-2")).suspect().orElseThrow().id();

    List<Long> others = enqueue(3);
    ClaimRequest healthy = request(10, "worker-2").within(new Room(1 << 20, 1 << 20, 0));
    assertThat(queue.queue().claim(healthy).tickets())
        .as("one of three runs")
        .extracting(ClaimedTicket::id)
        .containsExactlyElementsOf(others.subList(0, 2));
    assertThat(queue.queue().claim(request(10, "worker-3")).suspect()).isEmpty();
    queue.succeed(suspect, lease(suspect));
    assertThat(queue.queue().claim(request(10, "worker-3")).suspect().orElseThrow().id())
        .isIn(ids)
        .isNotEqualTo(suspect);
    assertThat(queue.queue().claim(healthy).tickets()).as("three run").isEmpty();
    others.subList(0, 2).forEach(id -> queue.succeed(id, lease(id)));
    assertThat(queue.queue().claim(healthy).tickets())
        .extracting(ClaimedTicket::id)
        .containsExactly(others.getLast());
  }

  @Test
  @DisplayName(
      "a suspect starts although more than a hundred that no limit lets start stand before")
  void suspectsBefore() {
    List<Long> busy = enqueue(120);
    long free = queue.enqueue();
    workerDies(121);
    long first = queue.queue().claim(request(200, "worker-2")).suspect().orElseThrow().id();
    assertThat(busy).contains(first);
    limit("concurrent => 1");
    database.run("SELECT holdfast.mend_lines()");

    assertThat(queue.queue().claim(request(200, "worker-3")).suspect())
        .hasValueSatisfying(each -> assertThat(each.id()).isEqualTo(free));
    queue.succeed(first, lease(first));
    assertThat(queue.queue().claim(request(200, "worker-4")).suspect()).isPresent();
    assertThat(queue.queue().claim(request(200, "worker-5")).suspect()).isEmpty();
  }

  @Test
  @DisplayName(
      "a suspect that is held and released has one place, and the worker's round leaves it that")
  void releasedSuspect() {
    limit("concurrent => 3");
    database.run("UPDATE holdfast.claim_limits SET set_at = now() - interval '1 day'");
    enqueue(2);
    workerDies(2);
    assertThat(queue.queue().claim(request(10, "worker-2")).suspect()).isPresent();
    long waiting = database.number("SELECT id FROM holdfast.suspects");

    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", waiting);
    database.run("SELECT holdfast.release_ticket(?, 'ann')", waiting);
    assertThat(claim(10)).containsExactly(waiting);
    queue.queue().holdExpired(10);

    enqueue(2);
    assertThat(claim(10)).as("two of three run").hasSize(1);
  }

  private ClaimRequest request(int most, String worker) {
    return new ClaimRequest(worker, Set.of(queue.kind()), Set.of(), most, Duration.ofMinutes(5));
  }

  @Test
  @DisplayName(
      "of a key, what has another key or none goes on; 10 at once from many workers are never more")
  void perKey() throws Exception {
    limit("concurrent => 10, per_key => 2");
    List<NewTicket> many = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      many.add(i % 9 == 0 ? ticket() : keyed("k" + i % 7));
    }
    inbox.enqueueAll(many.iterator());
    AtomicLong done = new AtomicLong();
    AtomicLong mostAtOnce = new AtomicLong();
    AtomicLong mostOfKey = new AtomicLong();
    try (ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String worker = "worker-" + i;
        all.add(workers.submit(() -> drain(worker, done, mostAtOnce, mostOfKey)));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
    assertThat(done).hasValue(400);
    assertThat(mostAtOnce.get()).isBetween(2L, 10L);
    assertThat(mostOfKey.get()).isBetween(1L, 2L);
  }

  @Test
  @DisplayName(
      "of a key, it counts once for all tenants and designs that share it, in one claim too")
  void sharedKey() {
    limit("per_key => 1");
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, ?, '{}')",
        "shared" + name,
        queue.kind());
    inbox.enqueue(keyed("k").withFairnessKey("ann"));
    inbox.enqueue(keyed("k").withFairnessKey("bob"));
    inbox.enqueue(keyed("other").withFairnessKey("cid"));
    assertThat(claim(10)).as("one of k, one of the other").hasSize(2);
    inbox.enqueue(keyed("m"));
    inbox.enqueue(NewTicket.ofDesign("shared" + name).withQueue(name).withConcurrencyKey("m"));
    assertThat(claim(10)).as("one of m").hasSize(1);
    inbox.enqueue(keyed("k"));
    assertThat(claim(10)).as("all keys are taken").isEmpty();
  }

  private String design(String prefix) {
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, ?, '{}')",
        prefix + name,
        queue.kind());
    return prefix + name;
  }

  @Test
  @DisplayName("of a design, the oldest ticket of a fairness key runs whatever its concurrency key")
  void oldestOfFairnessKeyUnderDesign() {
    NewTicket ticket = NewTicket.ofDesign(design("sync")).withQueue(name).withFairnessKey("acme");
    database.run("SELECT holdfast.set_limit('design:sync' || ?, 'ann', concurrent => 1)", name);
    List<Long> ids = new ArrayList<>();
    for (String key : List.of("z", "a", "b")) {
      ids.add(inbox.enqueue(ticket.withConcurrencyKey(key)));
    }
    for (long each : ids) {
      assertThat(claim(10)).containsExactly(each);
      queue.succeed(each, lease(each));
    }
  }

  @Test
  @DisplayName("of a key, the oldest ticket of a fairness key runs whatever its design")
  void oldestOfFairnessKeyUnderKey() {
    limit("per_key => 1");
    List<Long> ids = new ArrayList<>();
    for (String design : List.of(design("zz"), design("aa"))) {
      NewTicket ticket = NewTicket.ofDesign(design).withQueue(name).withFairnessKey("acme");
      ids.add(inbox.enqueue(ticket.withConcurrencyKey("c1")));
    }
    for (long each : ids) {
      assertThat(claim(10)).containsExactly(each);
      queue.succeed(each, lease(each));
    }
  }

  @Test
  @DisplayName("of many designs, whose tickets share keys, one claim takes all that may run")
  void chainOfDesigns() {
    limit("per_key => 1");
    List<NewTicket> chain = new ArrayList<>();
    for (char no = 'a'; no <= 'p'; no++) {
      String design = design(no + "-");
      database.run("SELECT holdfast.set_limit('design:' || ?, 'ann', concurrent => 1)", design);
      NewTicket ticket = NewTicket.ofDesign(design).withQueue(name);
      chain.add(ticket.withConcurrencyKey("k-" + no));
      chain.add(ticket.withConcurrencyKey("k-" + (char) (no + 1)));
    }
    inbox.enqueueAll(chain.iterator());
    assertThat(claim(1000)).hasSize(16);
  }

  @Test
  @DisplayName("keys, designs and a rate together never stop a queue in which something may start")
  void nothingStandsStill() {
    limit("concurrent => 6, per_key => 1, rate => 20, per => '1 second', burst => 5");
    List<String> designs = List.of(design("a"), design("b"), design("c"));
    database.run("SELECT holdfast.set_limit('design:a' || ?, 'ann', concurrent => 2)", name);
    database.run("SELECT holdfast.set_limit('design:b' || ?, 'ann', per_key => 1)", name);
    Random random = new Random(7);
    List<NewTicket> mix = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      NewTicket ticket = NewTicket.ofDesign(designs.get(random.nextInt(3))).withQueue(name);
      mix.add(
          ticket
              .withFairnessKey("f" + random.nextInt(2))
              .withConcurrencyKey("k" + random.nextInt(7)));
    }
    inbox.enqueueAll(mix.iterator());
    List<ClaimedTicket> running = new ArrayList<>();
    int done = 0;
    for (int turn = 0; done < 1000; turn++) {
      database.run("UPDATE holdfast.limit_gates SET full_at = now() WHERE full_at > now()");
      running.addAll(
          queue.queue().claim(request(1 + random.nextInt(9), "w-" + turn % 2)).tickets());
      assertThat(running).as("running after %d of 1000", done).isNotEmpty();
      Collections.shuffle(running, random);
      List<ClaimedTicket> over = running.subList(0, 1 + random.nextInt(running.size()));
      done += finish(over);
      over.clear();
    }
    assertThat(done).isEqualTo(1000);
  }

  private int finish(List<ClaimedTicket> tickets) {
    List<Finish> all = new ArrayList<>();
    for (ClaimedTicket each : tickets) {
      all.add(new Finish.Succeeded(each.id(), each.lease().no(), null, Review.NONE, null));
    }
    assertThat(queue.queue().finish(all, List.of()))
        .hasOnlyElementsOfType(FinishResult.Succeeded.class);
    return all.size();
  }

  private static long count(@Nullable String number) {
    return Long.parseLong(Objects.requireNonNull(number));
  }

  /** Looks at what runs after each claim, as the tables say it, not as the engine counts it. */
  private void drain(String worker, AtomicLong done, AtomicLong mostAtOnce, AtomicLong mostOfKey) {
    while (done.get() < 400) {
      List<ClaimedTicket> claimed = queue.queue().claim(request(3, worker)).tickets();
      Map<String, @Nullable String> now =
          database
              .rows(
                  "SELECT count(*) AS at_once, COALESCE(max(n), 0) AS of_key FROM (SELECT count(*)"
                      + " OVER (PARTITION BY concurrency_key) * (concurrency_key IS NOT NULL)::int"
                      + " AS n FROM holdfast.tickets WHERE state = 'in_progress' AND queue = ?) x",
                  name)
              .getFirst();
      mostAtOnce.accumulateAndGet(count(now.get("at_once")), Math::max);
      mostOfKey.accumulateAndGet(count(now.get("of_key")), Math::max);
      for (ClaimedTicket each : claimed) {
        assertThat(queue.succeed(each.id(), each.lease().no()))
            .isInstanceOf(FinishResult.Succeeded.class);
        done.incrementAndGet();
      }
    }
  }

  @Test
  @DisplayName(
      "of a design, tickets of other designs and queues are left alone; both limits count where"
          + " there are two")
  void ofDesign() {
    for (String design : List.of("a", "b")) {
      database.run(
          "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, ?, '{}')",
          design + name,
          queue.kind());
      for (int i = 0; i < 4; i++) {
        inbox.enqueue(NewTicket.ofDesign(design + name).withQueue(name).withConcurrencyKey("k"));
      }
    }
    database.run("SELECT holdfast.set_limit('design:a' || ?, 'ann', per_key => 1)", name);
    limit("concurrent => 4");
    assertThat(claim(10)).hasSize(4);
    assertThat(
            database.column(
                "SELECT design FROM holdfast.tickets WHERE state = 'in_progress' ORDER BY design"))
        .containsExactly("a" + name, "b" + name, "b" + name, "b" + name);
    assertThat(database.rows("SELECT scope, running, waiting FROM holdfast.limits ORDER BY scope"))
        .extracting(row -> row.get("running") + " " + row.get("waiting"))
        .containsExactly("1 3", "4 4");
  }

  @Test
  @DisplayName("that changes while tickets run, what runs counts, and what waits follows it")
  void changed() {
    List<Long> ids = enqueue(10);
    assertThat(claim(4)).hasSize(4);
    limit("concurrent => 5");
    assertThat(claim(10)).as("of 5, 4 ran already").hasSize(1);
    limit("concurrent => 2");
    for (int i = 0; i < 3; i++) {
      queue.succeed(ids.get(i), lease(ids.get(i)));
      assertThat(claim(10)).isEmpty();
    }
    queue.succeed(ids.get(3), lease(ids.get(3)));
    assertThat(claim(10)).hasSize(1);
    database.run("SELECT holdfast.remove_limit('queue:' || ?, 'ann')", name);
    assertThat(claim(10)).as("no limit any more").hasSize(4);
  }

  @Test
  @DisplayName("that is set while a claim is on its way, what that claim took counts soon, too")
  void setDuringAClaim() throws Exception {
    List<Long> ids = enqueue(10);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          "SELECT * FROM holdfast.take_tickets('{%s}', '{}', 4, 'w', 60000, '{}', 16384, 1000, 1)"
              .formatted(queue.kind()));
      limit("concurrent => 3");
      connection.commit();
    }
    queue.queue().holdExpired(10);
    assertThat(database.number("SELECT running FROM holdfast.limits")).isEqualTo(4);
    assertThat(claim(10)).isEmpty();
    for (int i = 0; i < 2; i++) {
      queue.succeed(ids.get(i), lease(ids.get(i)));
    }
    queue.queue().holdExpired(10);
    assertThat(claim(10)).hasSize(1);
  }

  @Test
  @DisplayName("of a slow rate that is raised, no more is waited for than the new one asks")
  void raisedRate() {
    limit("rate => 1, per => '1 hour'");
    enqueue(3);
    assertThat(claim(10)).hasSize(1);
    limit("rate => 100, per => '1 second', burst => 2");
    assertThat(
            database.value(
                "SELECT full_at <= now() + interval '20 ms' FROM holdfast.limit_gates WHERE scope ="
                    + " 'queue:' || ?",
                name))
        .isEqualTo("t");
  }

  @Test
  @DisplayName(
      "of a rate, so many start as have tokens, and the claim says when the next one comes")
  void rate() {
    limit("rate => 1, per => '1 hour', burst => 3");
    enqueue(5);
    Claim first = queue.queue().claim(queue.request(10));
    assertThat(first.tickets()).hasSize(3);
    assertThat(first.nextDue().orElseThrow())
        .isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));
    assertThat(claim(10)).isEmpty();
    assertThat(waitsFor(database.number("SELECT max(id) FROM holdfast.tickets")))
        .isEqualTo("limit|the limit of queue:" + name + ", 1 in 01:00:00");
    database.run("UPDATE holdfast.limit_gates SET full_at = full_at - interval '1 hour'");
    assertThat(claim(10)).hasSize(1);
    database.run("UPDATE holdfast.limit_gates SET full_at = full_at - interval '9 hours'");
    assertThat(claim(10)).as("no more tokens than the bucket holds, and one ticket").hasSize(1);
  }

  @Test
  @DisplayName("a bucket that was emptied while the server's clock was ahead stays empty no longer")
  void emptiedByAClockThatWasAhead() {
    limit("rate => 1, per => '1 hour', burst => 2");
    enqueue(5);
    assertThat(claim(10)).hasSize(2);
    database.number("SELECT holdfast.mend_lines()");
    assertThat(claim(10)).as("what is owed rightly stays").isEmpty();
    database.run("UPDATE holdfast.limit_gates SET full_at = full_at + interval '9 days'");
    database.number("SELECT holdfast.mend_lines()");
    assertThat(claim(10)).hasSize(2);
  }

  @Test
  @DisplayName(
      "priorities hold, a deferred ticket and a follower stand in line when they come, an expired"
          + " one starts no more, a paused queue waits")
  void beside() {
    limit("concurrent => 1");
    long low = inbox.enqueue(ticket());
    long high = inbox.enqueue(ticket().withPriority(5));
    long follower = inbox.enqueue(ticket().withPriority(9).withAfter(List.of(high)));
    long deferred = inbox.enqueue(ticket().withPriority(8).withDelay(Duration.ofHours(1)));
    long expired =
        inbox.enqueue(ticket().withPriority(7).withExpiry(new Expiry.In(Duration.ofHours(1))));
    database.run(
        "UPDATE holdfast.ticket_deadlines SET expires_at = now() WHERE ticket_id = ?", expired);
    database.run("SELECT holdfast.pause_queue(?, 'ann')", name);
    assertThat(claim(10)).isEmpty();
    database.run("SELECT holdfast.resume_queue(?, 'ann')", name);
    assertThat(claim(10)).containsExactly(high);
    queue
        .queue()
        .finish(
            List.of(new Finish.Succeeded(high, lease(high), null, Review.NONE, null)), List.of());
    assertThat(claim(10)).containsExactly(follower);
    queue.succeed(follower, lease(follower));
    queue.makeDue(deferred);
    assertThat(claim(10)).containsExactly(deferred);
    queue.succeed(deferred, lease(deferred));
    assertThat(queue.queue().holdExpired(10)).hasSize(1);
    assertThat(database.state(expired)).isEqualTo("on_hold");
    database.run(
        "UPDATE holdfast.tickets SET priority = 3, concurrency_key = 'x' WHERE id = ?", low);
    assertThat(
            database.value(
                "SELECT priority || concurrency_key FROM holdfast.in_line WHERE id = ?", low))
        .isEqualTo("3x");
    assertThat(claim(10)).containsExactly(low);
  }

  @Test
  @DisplayName("what is too large for a worker's room is put back and gives its place back")
  void putBack() {
    limit("concurrent => 2");
    for (int i = 0; i < 2; i++) {
      inbox.enqueue(ticket().withPayload("{\"text\": \"" + "x".repeat(100_000) + "\"}"));
    }
    ClaimRequest.Room room = new ClaimRequest.Room(50_000, 1_000_000, 1);
    assertThat(queue.queue().claim(queue.request(10).within(room)).tickets()).hasSize(1);
    assertThat(database.number("SELECT count(*) FROM holdfast.line_slots")).isEqualTo(1);
    assertThat(claim(10)).hasSize(1);
  }

  @Test
  @DisplayName("of a rate, what is put back for want of room has used up no token")
  void putBackUnderARate() {
    limit("rate => 3, per => '1 hour', burst => 3");
    for (int i = 0; i < 4; i++) {
      inbox.enqueue(ticket().withPayload("{\"text\": \"" + "x".repeat(100_000) + "\"}"));
    }
    ClaimRequest.Room room = new ClaimRequest.Room(50_000, 1_000_000, 1);
    assertThat(queue.queue().claim(queue.request(10).within(room)).tickets()).hasSize(1);
    ClaimRequest.Room none = new ClaimRequest.Room(0, 1_000_000, 1);
    assertThat(queue.queue().claim(queue.request(10).within(none)).tickets()).isEmpty();
    assertThat(claim(10)).hasSize(2);
    assertThat(claim(10)).isEmpty();
  }

  @Test
  @DisplayName("a ticket that somebody has locked keeps no other one waiting, whoever is first")
  void locked() throws Exception {
    limit("concurrent => 2, per_key => 1");
    List<Long> ids = enqueue(3);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SELECT holdfast.hold_ticket(" + ids.get(0) + ", 'ann', 'thinking')");
      assertThat(claim(1)).containsExactly(ids.get(1));
      assertThat(claim(10)).containsExactly(ids.get(2));
      connection.rollback();
    }
    queue.succeed(ids.get(1), lease(ids.get(1)));
    assertThat(claim(10)).containsExactly(ids.get(0));
  }

  @Test
  @DisplayName("a place that was left over is given back by the worker's round")
  void leftOver() {
    limit("concurrent => 1");
    enqueue(2);
    claim(10);
    database.run("DELETE FROM holdfast.leases");
    database.run(
        "UPDATE holdfast.ticket_base SET state = 'cancelled' WHERE id = (SELECT min(id) FROM"
            + " holdfast.ticket_base)");
    assertThat(claim(10)).isEmpty();
    queue.queue().holdExpired(10);
    assertThat(claim(10)).hasSize(1);
  }

  @Test
  @DisplayName("nonsense is refused in words")
  void refused() {
    Map.of(
            "concurrent => 0",
                "concurrent is from 1 to 1000000, not 0 (To let nothing run, pause the queue",
            "per_key => -1", "per_key is from 1 to 1000000, not -1",
            "rate => 0, per => '1 s'", "rate is from 1 to 1000000, not 0",
            "rate => 5", "rate and per go together",
            "burst => 5, concurrent => 1", "burst goes with a rate",
            "rate => 1, per => '0 s'", "per is from 1 ms to 366 days",
            "concurrent => NULL", "a limit needs concurrent, per_key or rate")
        .forEach(
            (settings, words) ->
                assertThatThrownBy(() -> limit(settings))
                    .rootCause()
                    .hasMessageContaining(words.split(" \\(")[0]));
    for (String scope : List.of("queue:nope", "design:nope", "nope", "queue:", "")) {
      assertThatThrownBy(
              () -> database.run("SELECT holdfast.set_limit(?, 'ann', concurrent => 1)", scope))
          .rootCause()
          .hasMessageContaining(
              scope.endsWith("nope") && scope.contains(":")
                  ? "there is no "
                  : "is not what a limit can be for");
    }
    assertThatThrownBy(() -> database.run("SELECT holdfast.remove_limit('queue:nope', 'ann')"))
        .rootCause()
        .hasMessageContaining("there is no limit for \"queue:nope\"");
    assertThatThrownBy(() -> inbox.enqueue(keyed("x".repeat(10_000))))
        .hasMessageContaining("the concurrency key has 10000 bytes, and 500 are allowed");
    assertThatThrownBy(() -> inbox.enqueueAll(List.of(keyed("a\u0001b")).iterator()))
        .hasMessageContaining("the concurrency key has a control character");
    assertThatThrownBy(() -> inbox.enqueue(keyed("")))
        .hasMessageContaining("the concurrency key must not be empty");
    assertThatThrownBy(
            () ->
                database.run(
                    "SELECT holdfast.enqueue_ticket('k', fairness_key => repeat('x', 10000))"))
        .rootCause()
        .hasMessageContaining("the fairness_key has 10000 bytes, and 500 are allowed");
  }
}
