package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.postgres.LossyDataSource;
import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerOptions;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

@WithDatabase
@Timeout(120)
class WorkerOutageIT {
  private static final String OPEN =
      "SELECT count(*) FROM holdfast.ticket_base WHERE kind = ? AND state NOT IN ('done',"
          + " 'needs_review')";

  private static final String RETRIES =
      "SELECT sum(retry_count) FROM holdfast.ticket_base WHERE kind = ?";

  private final TicketDatabase database;
  private final TestWorker setup;

  WorkerOutageIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.setup =
        new TestWorker(this.database)
            .settings(settings -> settings.withConcurrency(10))
            .handler(ticket -> HandlerResult.done(null));
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private void killBackends() {
    database.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname ="
            + " current_database() AND pid <> pg_backend_pid()");
  }

  @Test
  @DisplayName(
      "a worker whose machine can start nothing gives tickets back, leaves the others to workers"
          + " beside it and says why, until it can again")
  void unfit() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch mended = new CountDownLatch(1);
    setup.handler(
        ticket -> {
          calls.incrementAndGet();
          if (mended.getCount() > 0) {
            throw new WorkerUnfitException("the disk is full", new IOException("full"));
          }
          return HandlerResult.done(null);
        });
    setup.enqueue(40);
    try (Worker worker = setup.start()) {
      await().until(() -> worker.trouble().isPresent());
      assertThat(worker.trouble()).contains("the disk is full");
      assertThat(worker.healthy()).isTrue();
      assertThat(calls.get()).as("no more than one claim").isLessThanOrEqualTo(10);
      TestWorker neighbour = new TestWorker(database, setup.kind);
      try (Worker well = neighbour.handler(ticket -> HandlerResult.done(null)).start()) {
        neighbour.events.await(TicketEvent.Succeeded.class, 30);
      }
      mended.countDown();
      await().until(() -> database.number(OPEN, setup.kind) == 0);
      assertThat(worker.trouble()).isEmpty();
    }
    assertThat(database.number(RETRIES, setup.kind)).isZero();
  }

  @Test
  @DisplayName("A46: a worker goes on although its backends are killed again and again")
  void killedBackends() {
    try (HikariDataSource pool = database.pool(5);
        Worker worker = setup.dataSource(pool).start()) {
      for (int round = 1; round <= 10; round++) {
        setup.enqueue(20);
        killBackends();
        setup.events.await(TicketEvent.Succeeded.class, 20 * round);
      }
      assertThat(worker.running()).isZero();
    }
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.ticket_attempts a JOIN holdfast.ticket_base b"
                    + " ON b.id = a.ticket_id WHERE a.outcome = 'succeeded' AND b.kind = ?",
                setup.kind))
        .isEqualTo(200);
  }

  @Test
  @DisplayName(
      "A46: whatever a data source throws instead of a connection, in words of a refusal or"
          + " undeclared, is an outage: all is stored")
  void uncheckedDataSource() {
    LossyDataSource lossy = new LossyDataSource(database.dataSource());
    AtomicInteger finishes = new AtomicInteger();
    setup
        .dataSource(lossy)
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public List<FinishResult> finish(
                      List<? extends Finish> finished, Collection<Long> closedLeases) {
                    lossy.accept();
                    switch (finishes.incrementAndGet()) {
                      case 1 -> lossy.refuseUnchecked();
                      case 2 -> lossy.refuseWithoutThreads();
                      case 3 -> lossy.refuseAs(new SQLException("no more clients", "XX000"));
                      case 4 -> lossy.refuseAs(new SQLException("may not SET ROLE", "42501"));
                      case 5 -> lossy.refuseAs(new IOException("no token for the database"));
                      default -> {}
                    }
                    return super.finish(finished, closedLeases);
                  }
                });
    long id = setup.enqueue();

    try (Worker worker = setup.start()) {
      setup.events.awaitEnded(1);
      assertThat(worker.running()).isZero();
    }

    assertThat(database.state(id)).isEqualTo("done");
    assertThat(database.outcomes(id)).containsExactly("succeeded");
  }

  @Test
  @DisplayName("A46: any exception in a poll ends the poll, not the loop")
  void throwingPolls() {
    AtomicInteger polls = new AtomicInteger();
    setup.queue(
        queue ->
            new QueueWrapper(queue) {
              @Override
              public Claim claim(ClaimRequest request) {
                switch (polls.incrementAndGet()) {
                  case 1 -> throw new DatabaseUnavailableException("pretended", null);
                  case 2 -> throw new IllegalStateException("pretended");
                  case 3 -> throw new NoClassDefFoundError("pretended");
                  case 4 -> throw new StackOverflowError("pretended");
                  default -> {
                    return super.claim(request);
                  }
                }
              }
            });
    setup.enqueue(30);
    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Succeeded.class, 30);
      assertThat(worker.healthy()).isTrue();
    }
  }

  @Test
  @DisplayName("a job that did not reach the worker's database is given back and uses up no retry")
  void jobWithoutDatabase() {
    AtomicInteger runs = new AtomicInteger();
    setup
        .retry(TestWorker.retries(0))
        .handler(
            ticket -> {
              if (runs.incrementAndGet() == 1) {
                throw new DatabaseUnavailableException("no connection became free", null);
              }
              return HandlerResult.done(null);
            });
    long id = setup.enqueue(1).getFirst();
    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Succeeded.class, 1);
      assertThat(worker.healthy()).isTrue();
    }
    assertThat(database.outcomes(id)).containsExactly("given_back", "succeeded");
  }

  private void assertHeldAtSecondTime(TicketHandler mistaken) {
    setup.retry(TestWorker.retries(0)).handler(mistaken);
    long id = setup.enqueue();
    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Held.class);
      assertThat(worker.healthy()).isTrue();
    }
    assertThat(database.outcomes(id)).containsExactly("given_back", "failed");
  }

  @Test
  @DisplayName("a job that uses a closed connection again and again fails as by any exception")
  void closedConnection() {
    PostgresTicketInbox inbox = Holdfast.inbox(database.dataSource());
    assertHeldAtSecondTime(
        ticket -> {
          Connection closed = database.dataSource().getConnection();
          closed.close();
          inbox.enqueue(closed, NewTicket.ofKind("child"));
          return HandlerResult.done(null);
        });
  }

  @Test
  @DisplayName("a job whose own database is away fails as by any exception")
  void otherDatabase() {
    PGSimpleDataSource nowhere = new PGSimpleDataSource();
    nowhere.setUrl("jdbc:postgresql://127.0.0.1:1/nowhere");
    assertHeldAtSecondTime(
        ticket -> {
          Holdfast.inbox(nowhere).enqueue(NewTicket.ofKind("child"));
          return HandlerResult.done(null);
        });
  }

  @Test
  @DisplayName("A48: a result whose answer was lost is stored once and told once, as what it was")
  void lostAnswers() {
    AtomicInteger stores = new AtomicInteger();
    setup
        .retry(TestWorker.retries(1))
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public List<FinishResult> finish(
                      List<? extends Finish> finishes, Collection<Long> closedLeases) {
                    List<FinishResult> results = super.finish(finishes, closedLeases);
                    if (stores.incrementAndGet() % 2 == 1) {
                      throw new DatabaseUnavailableException("the answer got lost", null);
                    }
                    return results;
                  }
                })
        .handler(
            ticket -> {
              if (ticket.ticketId() % 2 == 0) {
                throw new IllegalStateException("even");
              }
              return HandlerResult.done(null);
            });
    setup.enqueue(10);

    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Succeeded.class, 5);
      setup.events.await(TicketEvent.Held.class, 5);
      // The first failure may be told last: the retry does not wait for whoever lost its answer.
      setup.events.await(TicketEvent.RetryScheduled.class, 5);
      assertThat(worker.running()).isZero();
    }
    assertThat(setup.events.all(TicketEvent.RetryScheduled.class)).hasSize(5);
    assertThat(setup.events.all(TicketEvent.StaleResultDropped.class)).isEmpty();
    assertThat(
            database.number(
                "SELECT sum(attempt_count) FROM holdfast.ticket_base WHERE kind = ?", setup.kind))
        .isEqualTo(15);
  }

  @Test
  @DisplayName("A46: a store that throws what nobody thought of costs a ticket its time, no slot")
  void throwingStores() {
    AtomicInteger stores = new AtomicInteger();
    setup
        .settings(
            settings ->
                settings
                    .withConcurrency(1)
                    .withLease(Duration.ofSeconds(1), Duration.ofMillis(100)))
        .retry(TestWorker.retries(1))
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public List<FinishResult> finish(
                      List<? extends Finish> finishes, Collection<Long> closedLeases) {
                    switch (stores.incrementAndGet()) {
                      case 1 -> throw new IllegalStateException("pretended");
                      case 2, 3 -> throw new NoClassDefFoundError("pretended");
                      default -> {
                        return super.finish(finishes, closedLeases);
                      }
                    }
                  }
                });
    List<Long> ids = setup.enqueue(4);
    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Succeeded.class, 4);
      assertThat(worker.running()).isZero();
    }
    assertThat(ids).map(database::state).containsOnly("done");
    for (long id : ids.subList(0, 2)) {
      // A worker that is heard of has let the ticket go; one that a busy machine kept silent
      // crashed.
      assertThat(database.outcomes(id)).last().isEqualTo("succeeded");
      assertThat(database.outcomes(id).getFirst()).isIn("given_back", "crashed");
    }
  }

  @Test
  @Tag("slow")
  @DisplayName(
      "A46: a worker survives a stopped and restarted server, and what ran meanwhile counts")
  void restartedServer(@TempDir Path home) throws Exception {
    String binaries = System.getProperty("test.postgres.binaries");
    EmbeddedServerOptions options = EmbeddedServerOptions.in(home);
    EmbeddedServerOptions chosen =
        binaries == null ? options : options.withBinaries(Path.of(binaries));
    EmbeddedServer first = EmbeddedServer.start(chosen);
    PGSimpleDataSource server = new PGSimpleDataSource();
    pointTo(server, first);
    try (HikariDataSource pool = pool(server)) {
      Migrations.migrate(pool);
      TestWorker there =
          new TestWorker(new TicketDatabase(pool))
              .settings(settings -> settings.withConcurrency(5));
      CountDownLatch running = new CountDownLatch(5);
      CountDownLatch go = new CountDownLatch(1);
      there.handler(
          ticket -> {
            running.countDown();
            go.await();
            return HandlerResult.done(null);
          });
      there.enqueue(20);
      try (Worker worker = there.start()) {
        running.await();
        first.close();
        go.countDown();
        try (EmbeddedServer second = EmbeddedServer.start(chosen)) {
          pointTo(server, second);
          there.events.await(TicketEvent.Succeeded.class, 20);
          assertThat(worker.running()).isZero();
          there.database.assertNoTicketIsLost();
          assertThat(
                  there.database.number(
                      "SELECT count(*) FROM holdfast.ticket_attempts WHERE outcome = 'succeeded'"))
              .isEqualTo(20);
          worker.close();
        }
      }
    }
  }

  /** Its port may be another one after a restart. */
  private static void pointTo(PGSimpleDataSource dataSource, EmbeddedServer server) {
    dataSource.setPortNumbers(new int[] {server.address().port()});
    dataSource.setDatabaseName("postgres");
    dataSource.setUser(server.address().user());
    dataSource.setPassword(server.address().password());
  }

  private static HikariDataSource pool(DataSource server) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(server);
    config.setMaximumPoolSize(4);
    config.setConnectionTimeout(1000);
    return new HikariDataSource(config);
  }
}
