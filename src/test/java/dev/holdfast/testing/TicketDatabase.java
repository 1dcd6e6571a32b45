package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.session.PostgresEventSink;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.event.SessionEvent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of a database as plain SQL sees them, each statement in a transaction of its own.
 * Thread-safe.
 */
public final class TicketDatabase {
  private final DataSource dataSource;

  public TicketDatabase(TestDatabase database) {
    this(database.dataSource());
  }

  public TicketDatabase(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  public DataSource dataSource() {
    return dataSource;
  }

  /** A pool for what would otherwise mostly connect; to be closed by the test. */
  public HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(dataSource);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    return new HikariDataSource(config);
  }

  /** Enqueues tickets of a kind; returns their ids, the oldest first. */
  public List<Long> enqueue(String kind, int count) {
    return column(
            "SELECT holdfast.enqueue_ticket(kind => ?, payload => jsonb_build_object('n', n))"
                + " FROM generate_series(1, ?) n",
            kind,
            count)
        .stream()
        .map(Long::valueOf)
        .toList();
  }

  /** Tells events of a session as its worker does; returns once they are in the table. */
  public void tell(long ticketId, long leaseNo, SessionEvent... events) {
    PostgresEventSink sink =
        new PostgresEventSink(dataSource, "holdfast", System::nanoTime, Secrets.NONE);
    try (sink) {
      for (SessionEvent event : events) {
        sink.on(ticketId, leaseNo, event);
      }
    }
    assertThat(sink.dropped()).isZero();
  }

  public long enqueue(String kind) {
    return enqueue(kind, 1).getFirst();
  }

  /** The stored row, column by column, as text. */
  public Map<String, @Nullable String> row(long id) {
    return rowOf("SELECT * FROM holdfast.ticket_base WHERE id = ?", id);
  }

  /** What people see of the ticket. */
  public Map<String, @Nullable String> ticket(long id) {
    return rowOf("SELECT * FROM holdfast.tickets WHERE id = ?", id);
  }

  public String state(long id) {
    return value("SELECT state FROM holdfast.tickets WHERE id = ?", id);
  }

  /** The outcomes of a ticket's attempts, the oldest first. */
  public List<String> outcomes(long id) {
    return column(
        "SELECT outcome FROM holdfast.ticket_attempts WHERE ticket_id = ? ORDER BY lease_no", id);
  }

  /** One row, column by column, as text. */
  public Map<String, @Nullable String> rowOf(String sql, long id) {
    List<Map<String, @Nullable String>> rows = rows(sql, id);
    assertThat(rows).as("ticket %s", id).hasSize(1);
    return rows.getFirst();
  }

  public List<Map<String, @Nullable String>> rows(String sql, @Nullable Object... arguments) {
    return withStatement(
        sql,
        arguments,
        statement -> {
          List<Map<String, @Nullable String>> all = new ArrayList<>();
          try (ResultSet rows = statement.executeQuery()) {
            ResultSetMetaData columns = rows.getMetaData();
            while (rows.next()) {
              Map<String, @Nullable String> row = new TreeMap<>();
              for (int i = 1; i <= columns.getColumnCount(); i++) {
                row.put(columns.getColumnName(i), rows.getString(i));
              }
              all.add(row);
            }
          }
          return all;
        });
  }

  /** The first column of every row. */
  public List<String> column(String sql, @Nullable Object... arguments) {
    return withStatement(
        sql,
        arguments,
        statement -> {
          List<String> values = new ArrayList<>();
          try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
              values.add(String.valueOf(rows.getString(1)));
            }
          }
          return values;
        });
  }

  /** The only value of the only row, "null" for null. */
  public String value(String sql, @Nullable Object... arguments) {
    List<String> values = column(sql, arguments);
    assertThat(values).as(sql).hasSize(1);
    return values.getFirst();
  }

  public long number(String sql, @Nullable Object... arguments) {
    return Long.parseLong(value(sql, arguments));
  }

  /** Runs a statement of any sort and drops its answer. */
  public void run(String sql, @Nullable Object... arguments) {
    withStatement(sql, arguments, PreparedStatement::execute);
  }

  private interface Work<T> {
    T with(PreparedStatement statement) throws SQLException;
  }

  private <T> T withStatement(String sql, @Nullable Object[] arguments, Work<T> work) {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      return work.with(statement);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  /**
   * Every ready ticket is in exactly one place: ready, in line, deferred, or under one lease newer
   * than its fence, and that place says the same of it as the ticket; no other ticket is in any
   * place; and every counted attempt has its row.
   */
  public void assertNoTicketIsLost() {
    assertThat(rows(MISPLACED)).as("misplaced tickets").isEmpty();
    assertThat(rows(UNACCOUNTED)).as("attempts without a row").isEmpty();
  }

  private static final String MISPLACED =
      """
      SELECT b.id, b.state, b.fence, b.assignee_type, p.ready, p.deferred, p.leased
      FROM holdfast.ticket_base b
      LEFT JOIN (
        SELECT id, sum(r) AS ready, sum(d) AS deferred, sum(l) AS leased
        FROM (
          SELECT b.id, 1 AS r, 0 AS d, 0 AS l
          FROM holdfast.ready r LEFT JOIN holdfast.ticket_base b
            ON (b.id, b.queue, b.kind, b.priority, b.created_at)
              = (r.id, r.queue, r.kind, r.priority, r.created_at)
          UNION ALL
          SELECT b.id, 1, 0, 0
          FROM holdfast.suspects s LEFT JOIN holdfast.ticket_base b
            ON (b.id, b.queue, b.kind, b.priority, b.created_at)
              = (s.id, s.queue, s.kind, s.priority, s.created_at)
          UNION ALL
          SELECT v.id, 1, 0, 0
          FROM holdfast.in_line w LEFT JOIN holdfast.tickets_in_line v ON v.id = w.id
          UNION ALL
          SELECT b.id, 0, 1, 0
          FROM holdfast.deferred d LEFT JOIN holdfast.ticket_base b
            ON (b.id, b.queue, b.kind, b.priority, b.created_at, b.retry_after)
              = (d.id, d.queue, d.kind, d.priority, d.created_at, d.run_at)
          UNION ALL
          SELECT b.id, 0, 0, 1
          FROM holdfast.leases l CROSS JOIN LATERAL unnest(l.ids) AS u(id)
          JOIN holdfast.ticket_base b ON b.id = u.id AND b.fence < l.id
        ) places GROUP BY id
      ) p ON p.id = b.id
      WHERE COALESCE(p.ready + p.deferred, 0)
          + CASE WHEN b.state = 'ready' THEN COALESCE(p.leased, 0) ELSE 0 END
        <> CASE WHEN b.state = 'ready' AND b.assignee_type = 'agent'
          AND NOT EXISTS (
            SELECT FROM holdfast.ticket_dependencies d WHERE d.ticket_id = b.id AND d.ended_at IS NULL)
          THEN 1 ELSE 0 END
      """;

  private static final String UNACCOUNTED =
      """
      SELECT b.id, b.attempt_count, a.attempts
      FROM holdfast.ticket_base b
      CROSS JOIN LATERAL (
        SELECT count(*) AS attempts, COALESCE(max(a.attempt), 0) AS last
        FROM holdfast.ticket_attempts a WHERE a.ticket_id = b.id) a
      WHERE b.attempt_count <> a.attempts OR a.last <> a.attempts
      """;
}
