package dev.holdfast.postgres.read;

import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.SqlErrors;
import dev.holdfast.queue.QueueUnavailableException;
import dev.holdfast.queue.read.Checkup;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.Query;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Asks the server and the tables. Thread-safe. */
public final class PostgresCheckup implements Checkup {
  private static final String SERVER =
      """
      SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer / 10000 AS major,
        current_database() AS database, getdatabaseencoding() AS encoding, current_user AS "user", clock_timestamp() AS now, pg_is_in_recovery() AS standby
      """;
  private static final String READY_KINDS =
      """
      SELECT r.queue, r.kind, count(*) AS tickets, min(r.created_at) AS oldest
      FROM holdfast.ready r JOIN holdfast.queues q ON q.name = r.queue
      WHERE q.paused_at IS NULL
      GROUP BY r.queue, r.kind
      ORDER BY oldest
      """;
  private static final String TRANSACTIONS =
      """
      SELECT pid, COALESCE(usename, '') AS "user", application_name AS application, COALESCE(state, '') AS state,
        extract(epoch FROM clock_timestamp() - xact_start)::bigint AS seconds
      FROM pg_stat_activity
      WHERE xact_start < clock_timestamp() - make_interval(secs => :seconds) AND pid <> pg_backend_pid()
        AND backend_type = 'client backend'
      ORDER BY xact_start
      """;

  private static final String MISSING_ROLES =
      """
      SELECT r.name FROM unnest(ARRAY['holdfast_viewer', 'holdfast_producer', 'holdfast_designer', 'holdfast_operator',
        'holdfast_worker']) AS r (name)
      WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r.name)
      """;

  private final DataSource dataSource;
  private final DataSource listening;
  private final Sql sql;
  private final Jdbi jdbi;

  /**
   * @param listening where notifications are waited for
   */
  public PostgresCheckup(DataSource dataSource, DataSource listening, String schema) {
    this.dataSource = dataSource;
    this.listening = listening;
    this.sql = new Sql(schema);
    this.jdbi = Jdbi.create(dataSource);
  }

  @Override
  public Server server() {
    return rows(Server.class, SERVER).getFirst();
  }

  @Override
  public int schemaVersion() {
    return Migrations.version(dataSource, sql);
  }

  @Override
  public int newestSchemaVersion() {
    return Migrations.NEWEST;
  }

  @Override
  public List<ReadyKind> readyKinds() {
    return rows(ReadyKind.class, sql.inSchema(READY_KINDS));
  }

  @Override
  public List<OpenTransaction> transactionsOlderThan(Duration age) {
    try {
      return jdbi.withHandle(
          handle ->
              handle
                  .createQuery(TRANSACTIONS)
                  .bind("seconds", age.toSeconds())
                  .map(
                      (row, context) ->
                          new OpenTransaction(
                              row.getInt("pid"),
                              row.getString("user"),
                              row.getString("application"),
                              row.getString("state"),
                              Duration.ofSeconds(row.getLong("seconds"))))
                  .list());
    } catch (JdbiException e) {
      throw SqlErrors.translate(e);
    }
  }

  @Override
  public List<String> missingRoles() {
    try {
      return jdbi.withHandle(
          handle -> handle.createQuery(MISSING_ROLES).mapTo(String.class).list());
    } catch (JdbiException e) {
      throw SqlErrors.translate(e);
    }
  }

  @Override
  public boolean notificationsArrive(Duration patience) {
    String channel =
        "holdfast_check_" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    try (Connection listener = listening.getConnection();
        Statement listen = listener.createStatement()) {
      listen.execute("LISTEN " + channel);
      notify(channel);
      PGNotification[] arrived =
          listener
              .unwrap(PGConnection.class)
              .getNotifications(Math.toIntExact(patience.toMillis()));
      return arrived != null && arrived.length > 0;
    } catch (SQLException e) {
      throw new QueueUnavailableException("cannot listen for notifications: " + e.getMessage(), e);
    }
  }

  private void notify(String channel) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("NOTIFY " + channel);
    }
  }

  private <T> List<T> rows(Class<T> type, String query) {
    try {
      return jdbi.withHandle(
          handle -> {
            Query statement = handle.createQuery(query);
            return statement.map(ConstructorMapper.of(type)).list();
          });
    } catch (JdbiException e) {
      throw SqlErrors.translate(e);
    }
  }
}
