package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** Pooled connections. The caller that opened the pool closes it. Thread-safe. */
public final class ConnectionPool implements AutoCloseable {
  private final HikariDataSource pool;
  private final DataSource shown;

  /**
   * @param shown the data source that gives connections of the pool
   */
  ConnectionPool(HikariDataSource pool, DataSource shown) {
    this.pool = pool;
    this.shown = shown;
  }

  public DataSource dataSource() {
    return shown;
  }

  /** Ends all connections, including those in use. */
  @Override
  public void close() {
    pool.close();
  }
}
