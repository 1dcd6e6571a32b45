package dev.holdfast.postgres.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.postgresql.PGConnection;

/**
 * One raw connection that claims a batch in one commit and completes it in another. Used by one
 * thread.
 */
final class RawConnection implements AutoCloseable {
  private static final String CLAIM = BenchSql.load("probe_claim");
  private static final String COMPLETE = BenchSql.load("probe_complete");

  private final Connection connection;
  private final PGConnection postgres;
  private final PreparedStatement claim;
  private final PreparedStatement complete;
  private final long[] ids;
  private int size;
  private long lease;
  private long payloadChars;

  /**
   * @param largestBatch the most tickets per claim
   */
  RawConnection(Connection connection, int largestBatch) throws SQLException {
    this.connection = connection;
    this.postgres = connection.unwrap(PGConnection.class);
    postgres.setPrepareThreshold(1);
    this.claim = connection.prepareStatement(CLAIM);
    this.complete = connection.prepareStatement(COMPLETE);
    this.ids = new long[largestBatch];
  }

  /**
   * Claims and completes until nothing is left.
   *
   * @param unclaimed how many may still be claimed, shared with the other connections
   * @return the time when the last commit was answered
   */
  long drain(AtomicLong unclaimed, LongConsumer committed) throws SQLException {
    long limit;
    while ((limit = Math.min(ids.length, unclaimed.getAndAdd(-ids.length))) > 0) {
      if (claim(limit) == 0) {
        break;
      }
      complete();
      committed.accept(size);
    }
    return System.nanoTime();
  }

  /** Returns how many were claimed. */
  int claim(long limit) throws SQLException {
    claim.setLong(1, limit);
    size = 0;
    try (ResultSet rows = claim.executeQuery()) {
      while (rows.next()) {
        ids[size++] = rows.getLong(1);
        payloadChars += rows.getString(2).length();
        lease = rows.getLong(3);
      }
    }
    return size;
  }

  /** Completes the last claim. */
  void complete() throws SQLException {
    long[] claimed = size == ids.length ? ids : Arrays.copyOf(ids, size);
    complete.setLong(1, lease);
    complete.setArray(2, postgres.createArrayOf("bigint", claimed));
    int stored = complete.executeUpdate();
    if (stored != size) {
      throw new SQLException(
          String.format(
              Locale.ROOT,
              "completed %d of %d tickets (%d characters read)",
              stored,
              size,
              payloadChars));
    }
  }

  Connection connection() {
    return connection;
  }

  PGConnection postgres() {
    return postgres;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
