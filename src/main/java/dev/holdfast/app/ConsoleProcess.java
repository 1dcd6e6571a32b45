package dev.holdfast.app;

import dev.holdfast.config.Settings;
import dev.holdfast.postgres.ConnectionPool;
import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.PostgresTicketReader;
import dev.holdfast.queue.QueueUnavailableException;
import dev.holdfast.queue.TicketReader;
import dev.holdfast.telemetry.QueueGauges;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.web.HealthRoutes;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Optional;

/** The API and the console on one database, without a worker, as {@code holdfast console} runs. */
final class ConsoleProcess implements AutoCloseable {
  private final ConnectionPool pool;
  private final WebSurface web;
  private final TicketReader reader;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final QueueGauges gauges = new QueueGauges(registry);

  private ConsoleProcess(Settings settings, Database database) {
    Migrations.requireCurrent(database.unpooled(), "holdfast");
    this.pool = database.withApplicationName("holdfast-console").pool();
    this.reader = new PostgresTicketReader(pool.dataSource());
    try {
      this.web =
          WebSurface.start(
              settings, pool.dataSource(), new HealthRoutes(this::problem, this::scrape), true);
    } catch (RuntimeException e) {
      pool.close();
      throw e;
    }
  }

  /**
   * @throws HoldfastException if the database or the port cannot be had; the message says what to
   *     do
   */
  static ConsoleProcess start(Settings settings, Database database) {
    return new ConsoleProcess(settings, database);
  }

  private Optional<String> problem() {
    try {
      reader.find(0);
      return Optional.empty();
    } catch (QueueUnavailableException e) {
      return Optional.of("the database cannot be reached");
    }
  }

  private String scrape() {
    try {
      gauges.update(reader.queues());
    } catch (QueueUnavailableException e) {
      return registry.scrape();
    }
    return registry.scrape();
  }

  int port() {
    return web.port();
  }

  @Override
  public void close() {
    web.close();
    pool.close();
  }
}
