package dev.holdfast.app;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.telemetry.QueueGauges;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process's metrics with the depths of the queues. The depths are read for a scrape if that was
 * not done in the last two seconds. While the database is away they stay as they were at the scrape
 * before, and the other metrics are still given. Thread-safe.
 */
final class QueueScrape implements Supplier<String> {
  private static final Logger log = LoggerFactory.getLogger(QueueScrape.class);

  private static final long FRESH_NANOS = 2_000_000_000L;

  private final PrometheusMeterRegistry registry;
  private final TicketReader reader;
  private final QueueGauges gauges;
  private final LongSupplier nanoTime;
  private long readNanos;

  QueueScrape(PrometheusMeterRegistry registry, TicketReader reader, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.readNanos = nanoTime.getAsLong() - FRESH_NANOS;
    this.registry = registry;
    this.reader = reader;
    this.gauges = new QueueGauges(registry);
  }

  @Override
  public String get() {
    readDepths();
    return registry.scrape();
  }

  /** Reads the depths. If many scrape at once, one asks the database and the others wait for it. */
  private synchronized void readDepths() {
    if (nanoTime.getAsLong() - readNanos < FRESH_NANOS) {
      return;
    }
    try {
      gauges.update(reader.queues());
    } catch (DatabaseUnavailableException | TicketBusyException e) {
      log.debug("the queues' depths are those of the scrape before: {}", e.getMessage());
    } finally {
      // The time is set only now. Otherwise each of those who waited for a slow answer would ask
      // again.
      readNanos = nanoTime.getAsLong();
    }
  }
}
