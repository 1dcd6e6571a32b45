package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.LogLines;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@WithDatabase
@ResourceLock(Resources.GLOBAL)
class QueueScrapeIT {
  private final TicketDatabase database;

  QueueScrapeIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
  }

  private QueueScrape scrape(Runnable onRead, AtomicLong nanos) {
    DataSource counted =
        (DataSource)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("getConnection")) {
                    onRead.run();
                  }
                  return method.invoke(database.dataSource(), arguments);
                });
    return new QueueScrape(
        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
        new PostgresTicketReader(counted),
        nanos::get);
  }

  @Test
  @DisplayName(
      "scrapes that wait for a slow answer, as while the database is away, take it and do not ask"
          + " one after the other")
  void slowAnswer() throws Exception {
    AtomicInteger reads = new AtomicInteger();
    AtomicLong nanos = new AtomicLong();
    QueueScrape scrape =
        scrape(
            () -> {
              reads.incrementAndGet();
              nanos.addAndGet(5_000_000_000L);
            },
            nanos);
    AtOnce.run(Collections.nCopies(30, scrape::get));
    assertThat(reads).hasValue(1);
  }

  @Test
  @DisplayName("thirty scrapes at once and another within two seconds ask the database once")
  void singleFlight() throws Exception {
    AtomicInteger reads = new AtomicInteger();
    AtomicLong nanos = new AtomicLong();
    QueueScrape scrape = scrape(reads::incrementAndGet, nanos);
    AtOnce.run(Collections.nCopies(30, scrape::get));
    nanos.addAndGet(1_999_999_999L);
    scrape.get();
    assertThat(reads).hasValue(1);
    nanos.incrementAndGet();
    scrape.get();
    assertThat(reads).hasValue(2);
  }

  @Test
  @DisplayName("what a limit lets not start now waits for the limit, and is not ready")
  void limited() {
    TestQueue queue = TestQueue.on(database);
    PostgresTicketInbox inbox = new PostgresTicketInbox(database.dataSource());
    NewTicket slow = NewTicket.ofKind(queue.kind()).withQueue("slow");
    database.run("INSERT INTO holdfast.queues (name) VALUES ('slow')");
    database.run("SELECT holdfast.set_limit('queue:slow', 'ann', rate => 1, per => '1 hour')");
    for (int i = 0; i < 3; i++) {
      inbox.enqueue(slow);
    }
    // A claim with room for all of them puts in line what it meets.
    assertThat(queue.claim(3)).hasSize(1);
    QueueScrape scrape =
        new QueueScrape(
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
            new PostgresTicketReader(database.dataSource()),
            System::nanoTime);
    assertThat(scrape.get())
        .contains(
            "holdfast_queue_tickets{queue=\"slow\",wait=\"limit\"} 2.0",
            "holdfast_queue_tickets{queue=\"slow\",wait=\"ready\"} 0.0");
  }

  @Test
  @DisplayName("without the database the rest is scraped, the depths stay, and the log says why")
  void databaseAway() {
    TestQueue.on(database).enqueue(3);
    AtomicLong nanos = new AtomicLong();
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    HikariDataSource pool = new HikariDataSource(config);
    QueueScrape scrape = new QueueScrape(registry, new PostgresTicketReader(pool), nanos::get);
    String ready = "holdfast_queue_tickets{queue=\"default\",wait=\"ready\"} 3.0";
    assertThat(scrape.get()).contains(ready);

    pool.close();
    nanos.addAndGet(2_000_000_000L);
    registry.counter("holdfast.of.others").increment();
    try (LogLines lines = new LogLines(QueueScrape.class).downTo(Level.DEBUG)) {
      assertThat(scrape.get()).contains(ready, "holdfast_of_others_total 1.0");
      assertThat(lines.of(Level.DEBUG)).hasSize(1);
    }
  }
}
