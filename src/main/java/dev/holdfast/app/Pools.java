package dev.holdfast.app;

import dev.holdfast.config.WebSettings;
import dev.holdfast.postgres.ConnectionPool;
import dev.holdfast.postgres.Database;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * The connections of a process, in pools that cannot take connections from each other. Viewers who
 * ask too much take none from the heartbeats.
 */
final class Pools implements AutoCloseable {
  /** How long a start waits for a database that accepts connections but does not answer. */
  static final Duration FIRST_ANSWER = Duration.ofSeconds(15);

  private static final Duration SCRAPE_TIMEOUT = Duration.ofSeconds(10);

  private final StartedParts parts = new StartedParts();
  private final Database database;
  private final DataSource web;
  private final DataSource scrapes;

  /**
   * @param database the database, with the user and password of all pools
   */
  Pools(Database database, WebSettings.Limits limits) {
    this.database = database;
    this.web =
        add(
            database
                .withApplicationName("holdfast-web")
                .withPoolSize(limits.poolSize())
                .poolFor(limits.statementTimeout()));
    this.scrapes =
        add(
            database
                .withApplicationName("holdfast-scrape")
                .withPoolSize(1)
                .poolFor(SCRAPE_TIMEOUT));
  }

  private DataSource add(ConnectionPool pool) {
    return parts.add(pool, ConnectionPool::close).dataSource();
  }

  /** Opens the pool for tickets, with as many connections as are configured for the worker. */
  DataSource openForTickets() {
    return add(database.withApplicationName("holdfast-worker").pool());
  }

  /** Opens the pool that only renews leases. */
  DataSource openForHeartbeats() {
    return add(database.withApplicationName("holdfast-heartbeat").withPoolSize(1).pool());
  }

  /** Returns the pool for the API and the console, with their statement timeout. */
  DataSource web() {
    return web;
  }

  /** Returns the pool for metrics and the webhook. */
  DataSource scrapes() {
    return scrapes;
  }

  /** Ends all connections, even those in use. */
  @Override
  public void close() {
    parts.close();
  }
}
