package dev.holdfast.postgres.session;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.TicketBusyException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes events until their queue is closed. The body of one thread. */
final class EventWriter implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(EventWriter.class);
  private static final int BATCH = 500;
  private static final Duration WAIT = Duration.ofSeconds(1);

  private final EventQueue queue;
  private final Transactions transactions;
  private final String append;
  private final LongSupplier nanoTime;

  EventWriter(EventQueue queue, DataSource dataSource, String schema, LongSupplier nanoTime) {
    this.queue = queue;
    this.transactions = new Transactions(dataSource);
    this.append = new Sql(schema).load("append_session_events");
    this.nanoTime = nanoTime;
  }

  @Override
  public void run() {
    try {
      List<EventQueue.Waiting> batch = queue.take(BATCH);
      while (!batch.isEmpty()) {
        write(batch);
        batch = queue.take(BATCH);
      }
    } catch (InterruptedException e) {
      LOG.debug("the writer of session events was interrupted");
    }
  }

  /**
   * Writes a batch. It waits for a database that is away, while newer events push out the oldest.
   */
  private void write(List<EventQueue.Waiting> batch) throws InterruptedException {
    while (true) {
      boolean lastTry = queue.isClosed();
      try {
        transactions.run(handle -> insert(handle, batch));
        return;
      } catch (DatabaseUnavailableException | TicketBusyException e) {
        if (lastTry) {
          drop(batch, e);
          queue.discard();
          return;
        }
        queue.pause(WAIT);
      } catch (RuntimeException e) {
        drop(batch, e);
        return;
      }
    }
  }

  private void drop(List<EventQueue.Waiting> batch, RuntimeException e) {
    queue.countDropped(batch.size());
    LOG.warn("{} session events were not written: {}", batch.size(), e.getMessage());
  }

  private int insert(Handle handle, List<EventQueue.Waiting> batch) {
    long now = nanoTime.getAsLong();
    return handle
        .createUpdate(append)
        .bind("tickets", longs(batch, EventQueue.Waiting::ticketId))
        .bind("leases", longs(batch, EventQueue.Waiting::leaseNo))
        .bind("ages_ms", longs(batch, each -> TimeUnit.NANOSECONDS.toMillis(now - each.nanos())))
        .bind("events", texts(batch, EventQueue.Waiting::event))
        .bind("details", texts(batch, EventQueue.Waiting::details))
        .execute();
  }

  private static Long[] longs(
      List<EventQueue.Waiting> batch, Function<EventQueue.Waiting, Long> part) {
    return batch.stream().map(part).toArray(Long[]::new);
  }

  private static String[] texts(
      List<EventQueue.Waiting> batch, Function<EventQueue.Waiting, String> part) {
    return batch.stream().map(part).toArray(String[]::new);
  }
}
