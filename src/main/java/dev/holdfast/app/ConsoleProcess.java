package dev.holdfast.app;

import dev.holdfast.config.Settings;
import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.web.HealthRoutes;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.util.Optional;

/** The API and the console on one database, without a worker, as {@code holdfast console} runs. */
final class ConsoleProcess implements AutoCloseable {
  private final StartedParts parts = new StartedParts();
  private final WebSurface web;
  private final TicketReader reader;

  private ConsoleProcess(Settings settings, Database database, Path home) {
    Migrations.requireCurrent(database.impatient(Pools.FIRST_ANSWER), "holdfast");
    try {
      Traces traces = parts.add(Traces.of(System.getenv(), Traces.OF_A_WORKER), Traces::close);
      Pools pools = parts.add(new Pools(database, settings.web().limits()), Pools::close);
      this.reader = new PostgresTicketReader(pools.scrapes());
      this.web = parts.add(WebSurface.bind(settings, home, traces), WebSurface::close);
      serve(pools);
    } catch (RuntimeException | Error e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  /**
   * @param home where the token of the API is kept, if none is configured
   * @throws HoldfastException if the database or the port is not available; the message says what
   *     to do
   */
  static ConsoleProcess start(Settings settings, Database database, Path home) {
    return new ConsoleProcess(settings, database, home);
  }

  private Optional<String> problem() {
    try {
      reader.find(0);
      return Optional.empty();
    } catch (DatabaseUnavailableException e) {
      return Optional.of("the database cannot be reached");
    }
  }

  private void serve(Pools pools) {
    QueueScrape metrics =
        new QueueScrape(
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT), reader, System::nanoTime);
    web.serve(pools, new HealthRoutes(this::problem, metrics), true, () -> "");
  }

  /** Returns the address that a browser begins with. */
  String entrance() {
    return web.entrance();
  }

  int port() {
    return web.port();
  }

  @Override
  public void close() {
    parts.close();
  }
}
