package dev.holdfast.app;

import dev.holdfast.config.Settings;
import dev.holdfast.postgres.ConnectionPool;
import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.PostgresTicketReader;
import dev.holdfast.queue.QueueUnavailableException;
import dev.holdfast.web.HealthRoutes;
import java.util.Optional;

/** The API and the console on one database, without a worker. */
final class ConsoleProcess implements AutoCloseable {
  private final ConnectionPool pool;
  private final WebSurface surface;

  private ConsoleProcess(ConnectionPool pool, WebSurface surface) {
    this.pool = pool;
    this.surface = surface;
  }

  /**
   * @throws dev.holdfast.ticket.HoldfastException if the database or the port cannot be had; the
   *     message says what to do
   */
  static ConsoleProcess start(Settings settings, Database database) {
    Migrations.requireCurrent(database.unpooled(), "holdfast");
    ConnectionPool pool = database.withApplicationName("holdfast-console").pool();
    PostgresTicketReader reader = new PostgresTicketReader(pool.dataSource());
    try {
      HealthRoutes health = new HealthRoutes(() -> problem(reader), () -> "");
      return new ConsoleProcess(pool, WebSurface.start(settings, pool.dataSource(), health, true));
    } catch (RuntimeException e) {
      pool.close();
      throw e;
    }
  }

  private static Optional<String> problem(PostgresTicketReader reader) {
    try {
      reader.hasRetryAbort(0);
      return Optional.empty();
    } catch (QueueUnavailableException e) {
      return Optional.of("the database cannot be reached");
    }
  }

  int port() {
    return surface.port();
  }

  @Override
  public void close() {
    surface.close();
    pool.close();
  }
}
