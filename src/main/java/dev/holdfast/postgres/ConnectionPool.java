package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** Pooled connections, to be closed by whoever opened it. Thread-safe. */
public final class ConnectionPool implements AutoCloseable {
  private final HikariDataSource pool;

  ConnectionPool(HikariDataSource pool) {
    this.pool = pool;
  }

  public DataSource dataSource() {
    return pool;
  }

  /** Ends all connections, those in use too. */
  @Override
  public void close() {
    pool.close();
  }
}
