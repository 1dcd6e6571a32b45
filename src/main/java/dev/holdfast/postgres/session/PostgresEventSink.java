package dev.holdfast.postgres.session;

import dev.holdfast.postgres.EscapedJson;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.event.EventSink;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEventJson;
import java.time.Duration;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the table {@code session_events}. One thread writes waiting events in batches. If it
 * cannot keep up, or the database is away, the oldest events are dropped and counted: the journal
 * is the record of a session, these are its news. Thread-safe.
 */
public final class PostgresEventSink implements EventSink, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresEventSink.class);
  private static final int CAPACITY = 10_000;
  private static final Duration LAST_FLUSH = Duration.ofSeconds(5);

  private final EventQueue queue;
  private final LongSupplier nanoTime;
  private final Secrets secrets;
  private final Thread writer;

  /**
   * Starts the writer.
   *
   * @param secrets the values that no event may contain
   */
  public PostgresEventSink(
      DataSource dataSource, String schema, LongSupplier nanoTime, Secrets secrets) {
    this(dataSource, schema, nanoTime, CAPACITY, secrets);
  }

  /**
   * @param capacity how many events may wait; at least 1
   */
  PostgresEventSink(
      DataSource dataSource, String schema, LongSupplier nanoTime, int capacity, Secrets secrets) {
    this.secrets = secrets;
    this.queue = new EventQueue(capacity);
    this.nanoTime = nanoTime;
    this.writer =
        Thread.ofVirtual()
            .name("session-events")
            .start(new EventWriter(queue, dataSource, schema, nanoTime));
  }

  @Override
  public void on(long ticketId, long leaseNo, SessionEvent event) {
    try {
      SessionEventJson.of(event)
          .ifPresent(
              json ->
                  queue.add(
                      new EventQueue.Waiting(
                          ticketId,
                          leaseNo,
                          nanoTime.getAsLong(),
                          json.path("type").asString(),
                          EscapedJson.replace(secrets.redactJson(json.toString())))));
    } catch (RuntimeException e) {
      queue.countDropped(1);
      LOG.warn("an event of ticket {} was dropped", ticketId, e);
    }
  }

  /** Returns the number of events that were never written. */
  public long dropped() {
    return queue.dropped();
  }

  /** Writes what waits, for up to 5 s, and ends. */
  @Override
  public void close() {
    queue.close();
    try {
      if (!writer.join(LAST_FLUSH)) {
        writer.interrupt();
      }
    } catch (InterruptedException e) {
      writer.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}
