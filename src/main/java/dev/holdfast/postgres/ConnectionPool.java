package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** Pooled connections, to be closed by whoever opened it. Thread-safe. */
public final class ConnectionPool implements AutoCloseable {
  private final HikariDataSource pool;
  private final DataSource shown;

  /**
   * @param shown gives connections of the pool
   */
  ConnectionPool(HikariDataSource pool, DataSource shown) {
    this.pool = pool;
    this.shown = shown;
  }

  public DataSource dataSource() {
    return shown;
  }

  /** Ends all connections, those in use too. */
  @Override
  public void close() {
    pool.close();
  }
}
