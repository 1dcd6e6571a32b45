package dev.holdfast.app;

import dev.holdfast.queue.QueueUnavailableException;
import dev.holdfast.queue.TicketReader;
import dev.holdfast.telemetry.QueueGauges;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process's metrics with the depths of the queues, read for each scrape; while the database is
 * away they stay as they were at the scrape before, and the rest is told all the same. Thread-safe.
 */
final class QueueScrape implements Supplier<String> {
  private static final Logger log = LoggerFactory.getLogger(QueueScrape.class);

  private final PrometheusMeterRegistry registry;
  private final TicketReader reader;
  private final QueueGauges gauges;

  QueueScrape(PrometheusMeterRegistry registry, TicketReader reader) {
    this.registry = registry;
    this.reader = reader;
    this.gauges = new QueueGauges(registry);
  }

  @Override
  public String get() {
    try {
      gauges.update(reader.queues());
    } catch (QueueUnavailableException e) {
      log.debug("the queues' depths are those of the scrape before: {}", e.getMessage());
    }
    return registry.scrape();
  }
}
