package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.postgres.TestSql;
import dev.holdfast.postgres.testing.TestQueueState;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.schedule.CatchUp;
import dev.holdfast.schedule.NewSchedule;
import dev.holdfast.schedule.Overlap;
import dev.holdfast.worker.HandlerResult;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@WithDatabase
@Timeout(120)
class TestHoldfastIT {
  private final TestHoldfast holdfast;
  private final TestSql sql;

  TestHoldfastIT(TestDatabase database) {
    this.holdfast = TestHoldfast.on(database.dataSource());
    this.sql = new TestSql(database.dataSource());
  }

  @Test
  @DisplayName("closing a queue for tests twice is harmless")
  void twice() {
    TestHoldfast embedded = TestHoldfast.embedded();
    embedded.close();

    assertThatNoException().isThrownBy(embedded::close);
  }

  @Test
  @DisplayName("one test's used-up rate and cool-downs do not hinder the next test")
  void clear() {
    holdfast.handler("rated", ticket -> HandlerResult.done(null));
    NewTicket ticket = NewTicket.ofKind("rated").withQueue("rated");
    holdfast.enqueue(ticket);
    sql.value("SELECT holdfast.set_limit('queue:rated', 'ann', rate => 1, per => '1 hour')");
    sql.run(
        "INSERT INTO holdfast.provider_cooldowns (provider, key_id, model, until, reason,"
            + " reported_by) VALUES ('p', '', '', 'infinity', 'auth', 'w')");
    for (int test = 1; test <= 2; test++) {
      holdfast.clear();
      long id = holdfast.enqueue(ticket);
      holdfast.drain(Duration.ofSeconds(20));
      holdfast.ticket(id).isDone();
    }
    assertThat(sql.number("SELECT count(*) FROM holdfast.provider_cooldowns")).isZero();
    assertThat(sql.number("SELECT count(*) FROM holdfast.claim_limits")).isOne();
  }

  @Test
  @DisplayName("a drain does not end while a worker ends a batch that others wait for")
  void endOfBatch() throws Exception {
    Iterator<NewTicket> tickets = List.of(NewTicket.ofKind("first")).iterator();
    long batch = holdfast.inbox().enqueueBatch(tickets, "ann", "b").batchId();
    holdfast.enqueue(NewTicket.ofKind("follower").withAfterBatch(batch));
    sql.run("UPDATE holdfast.tickets SET state = 'cancelled' WHERE kind = 'first'");
    try (Connection worker = holdfast.dataSource().getConnection();
        Statement statement = worker.createStatement()) {
      worker.setAutoCommit(false);
      AtomicInteger transactions = new AtomicInteger();
      DataSource meanwhile =
          (DataSource)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {DataSource.class},
                  (self, method, arguments) -> {
                    if (transactions.getAndIncrement() == 1) {
                      statement.execute("SELECT holdfast.advance_batches()");
                    }
                    return method.invoke(holdfast.dataSource(), arguments);
                  });
      TestQueueState state = new TestQueueState(meanwhile);
      state.keepUp();
      assertThat(state.hasWork(List.of("follower"))).isTrue();
    }
    holdfast.clear();
  }

  @Test
  @DisplayName("a drain that is interrupted says so and keeps the interrupt")
  void interrupted() {
    Thread test = Thread.currentThread();
    holdfast.handler(
        "endless",
        ticket -> {
          test.interrupt();
          new CountDownLatch(1).await();
          return HandlerResult.done(null);
        });
    holdfast.enqueue(NewTicket.ofKind("endless"));
    assertThatThrownBy(holdfast::drain)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  @DisplayName("a result is compared by its numbers, not by how they are written")
  void numbers() {
    String json = "{\"a\": 1e2, \"b\": [1e400, 1.50]}";
    holdfast.handler("numbers", ticket -> HandlerResult.done(json));
    long id = holdfast.enqueue(NewTicket.ofKind("numbers"));
    holdfast.drain();
    holdfast.ticket(id).hasResult(json).hasResult("{\"b\": [1e400, 1.5], \"a\": 100}");
    assertThatThrownBy(() -> holdfast.ticket(id).hasResult("{\"a\": 100, \"b\": [2e400, 1.5]}"))
        .isInstanceOf(AssertionError.class);
  }

  private void every(Duration time, CatchUp catchUp, Overlap overlap) {
    NewTicket ticket = NewTicket.ofKind("scheduled");
    NewSchedule schedule = new NewSchedule("often", null, time, "UTC", ticket, catchUp, overlap);
    holdfast.schedules().put(schedule, "ann");
  }

  private long scheduled() {
    return sql.number("SELECT count(*) FROM holdfast.tickets WHERE kind = 'scheduled'");
  }

  @Test
  @DisplayName("a schedule that is put or resumed after time has passed counts from then")
  void scheduleAfterAdvance() {
    holdfast.clear();
    holdfast.advance(Duration.ofHours(1));
    every(Duration.ofMinutes(10), CatchUp.ALL, Overlap.ALLOW);
    holdfast.advance(Duration.ofMinutes(5));
    assertThat(scheduled()).isZero();
    holdfast.advance(Duration.ofMinutes(6));
    assertThat(scheduled()).isOne();
    holdfast.schedules().pause("often", "ann");
    holdfast.advance(Duration.ofMinutes(30));
    holdfast.schedules().resume("often", "ann");
    holdfast.advance(Duration.ofMinutes(1));
    assertThat(scheduled()).isOne();
    holdfast.advance(Duration.ofMinutes(10));
    assertThat(scheduled()).isEqualTo(2);
    holdfast.clear();
  }

  @Test
  @DisplayName("a time that waited for the last ticket of its schedule is not missed")
  void queuedSchedule() {
    holdfast.clear();
    holdfast.handler("scheduled", ticket -> HandlerResult.done(null));
    every(Duration.ofHours(1), CatchUp.NONE, Overlap.QUEUE);
    holdfast.advance(Duration.ofMinutes(61));
    holdfast.advance(Duration.ofMinutes(90));
    assertThat(scheduled()).isOne();
    holdfast.drain();
    holdfast.advance(Duration.ofSeconds(1));
    assertThat(scheduled()).isEqualTo(2);
    holdfast.clear();
  }
}
