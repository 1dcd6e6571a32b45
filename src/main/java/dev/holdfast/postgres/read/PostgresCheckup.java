package dev.holdfast.postgres.read;

import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.RowSecurity;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.SqlErrors;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.QuestionTooSlowException;
import dev.holdfast.queue.read.Checkup;
import dev.holdfast.queue.read.TicketReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.Query;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Asks the server and the tables. Thread-safe. */
public final class PostgresCheckup implements Checkup {
  private static final String SERVER =
      """
      SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer / 10000 AS major,
        current_database() AS database, getdatabaseencoding() AS encoding, current_user AS "user", clock_timestamp() AS now, pg_is_in_recovery() AS standby,
        current_setting('autovacuum')::boolean AND current_setting('track_counts')::boolean AS autovacuum,
        pg_has_role('pg_read_all_stats', 'USAGE') AS sees_all,
        COALESCE((SELECT s.source FROM pg_settings s WHERE s.name = 'default_transaction_read_only' AND s.setting = 'on'), '') AS read_only_by
      """;
  private static final String READY_KINDS =
      """
      SELECT r.queue, r.kind, count(*) AS tickets, min(r.id) AS first_id
      FROM (SELECT queue, kind, created_at, id FROM holdfast.ready
        UNION ALL SELECT queue, kind, created_at, id FROM holdfast.suspects
        UNION ALL SELECT queue, kind, created_at, id FROM holdfast.in_line JOIN holdfast.line_gates USING (line)
        UNION ALL SELECT queue, kind, created_at, id FROM holdfast.deferred WHERE run_at <= now()) r
      JOIN holdfast.queues q ON q.name = r.queue
      WHERE q.paused_at IS NULL
      GROUP BY r.queue, r.kind
      ORDER BY min(r.created_at)
      """;
  private static final String TABLES =
      """
      SELECT format('%I.%I', s.schemaname, s.relname) AS "table", s.n_live_tup AS live, s.n_dead_tup AS dead,
        NOT COALESCE((SELECT lower(o.option_value) IN ('off', 'false', 'no', '0') FROM pg_options_to_table(c.reloptions) o
          WHERE o.option_name = 'autovacuum_enabled'), false) AS autovacuum,
        GREATEST(s.last_vacuum, s.last_autovacuum) AS cleaned
      FROM pg_stat_all_tables s JOIN pg_class c ON c.oid = s.relid
      WHERE s.schemaname = :schema
      ORDER BY s.relname
      """;
  private static final String EXPIRED_LEASES =
      """
      SELECT worker_id, cardinality(ids) AS tickets, extract(epoch FROM now() - expires_at)::bigint AS seconds
      FROM holdfast.leases
      WHERE expires_at < now() - make_interval(secs => :seconds)
      ORDER BY expires_at
      """;
  private static final String NOT_DUE =
      """
      SELECT count(*) AS tickets, min(id) AS first_id, max(run_at) AS until
      FROM holdfast.deferred WHERE run_at > now() + make_interval(secs => :seconds)
      """;
  private static final String WITHOUT_DESIGN =
      """
      SELECT count(*) AS tickets, min(b.id) AS first_id, NULL::timestamptz AS until
      FROM (SELECT id FROM holdfast.ready UNION ALL SELECT id FROM holdfast.suspects UNION ALL SELECT id FROM holdfast.in_line
        UNION ALL SELECT id FROM holdfast.deferred) r
      JOIN holdfast.ticket_base b ON b.id = r.id
      WHERE b.design_id IS NOT NULL AND NOT EXISTS (SELECT FROM holdfast.designs d WHERE d.id = b.design_id)
      """;
  private static final String FOR_NOBODY =
      """
      SELECT count(*) AS tickets, min(id) AS first_id, NULL::timestamptz AS until
      FROM holdfast.ticket_base WHERE state = 'ready' AND assignee_type IS NULL
      """;

  private static final String BEHIND_HELD =
      """
      SELECT count(DISTINCT d.ticket_id) AS tickets, min(d.after_id) AS first_id, NULL::timestamptz AS until
      FROM holdfast.ticket_dependencies d LEFT JOIN holdfast.ticket_base b ON b.id = d.after_id
      WHERE d.ended_at IS NULL AND (b.id IS NULL OR b.held_at < now() - :seconds * interval '1 second')
      """;

  private static final String LONG_IN_LINE =
      """
      SELECT split_part(w.words, ',', 1) AS scope, count(*) AS tickets, min(w.id) AS first_id
      FROM (
        SELECT l.id, holdfast.limit_words(l.queue, l.design, l.concurrency_key) AS words
        FROM holdfast.tickets_in_line l WHERE l.created_at < now() - :seconds * interval '1 second' LIMIT 100) w
      WHERE w.words IS NOT NULL
      GROUP BY 1 ORDER BY 2 DESC
      """;
  private static final String EXPIRED =
      """
      SELECT count(*) AS tickets, min(t.id) AS first_id, NULL::timestamptz AS until
      FROM holdfast.ticket_deadlines d JOIN holdfast.tickets t ON t.id = d.ticket_id
      WHERE d.expires_at < now() - :seconds * interval '1 second' AND t.state = 'ready' AND t.started_at IS NULL
      """;
  private static final String OLD_HOLDS =
      """
      SELECT count(*) AS groups, min(g.oldest) AS oldest
      FROM (
        SELECT min(h.held_at) AS oldest FROM holdfast.held h
        WHERE h.held_at < now() - :seconds * interval '1 second' GROUP BY h.fingerprint, h.category
      ) g
      """;
  private static final String SET_IN_FUTURE =
      """
      SELECT count(*) AS tickets, min(b.id) AS first_id, max(b.retry_after) AS until
      FROM holdfast.deferred d JOIN holdfast.ticket_base b ON b.id = d.id
      WHERE b.updated_at > now() + interval '1 minute'
      """;

  /** Has a row only if this user may know, and the connection does not leave this machine. */
  private static final String DATA_DIRECTORY =
      """
      SELECT setting FROM pg_settings
      WHERE name = 'data_directory' AND inet_server_addr() IS NOT DISTINCT FROM inet_client_addr()
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

  private static final String TRANSACTION_IDS =
      """
      SELECT datname AS database, 2147483647 - GREATEST(age(datfrozenxid), mxid_age(datminmxid)) AS left
      FROM pg_database ORDER BY 2 LIMIT 1
      """;

  private static final String WAITING_COMMITS =
      """
      SELECT count(*) AS sessions, current_setting('synchronous_standby_names') AS standbys
      FROM pg_stat_activity
      WHERE wait_event = 'SyncRep' AND state_change < clock_timestamp() - :seconds * interval '1 second'
      """;

  private static final String MISSING_ROLES =
      """
      SELECT r.name FROM unnest(ARRAY['holdfast_viewer', 'holdfast_producer', 'holdfast_designer', 'holdfast_operator',
        'holdfast_worker']) AS r (name)
      WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r.name)
      """;

  private static final String ROLES_WITHOUT_RIGHTS =
      """
      SELECT rolname FROM pg_roles
      WHERE rolname IN ('holdfast_viewer', 'holdfast_producer', 'holdfast_designer', 'holdfast_operator', 'holdfast_worker')
        AND NOT has_schema_privilege(oid, to_regnamespace(:schema), 'USAGE')
      ORDER BY rolname
      """;

  private static final String REFERENCES =
      """
      SELECT format('%s (%I)', conrelid::regclass, conname) FROM pg_constraint
      WHERE contype = 'f' AND confrelid = 'holdfast.ticket_base'::regclass AND confdeltype IN ('a', 'r')
      ORDER BY 1
      """;

  private final DataSource dataSource;
  private final DataSource listening;
  private final Sql sql;
  private final Transactions transactions;

  /**
   * @param listening the data source on which notifications are waited for
   */
  public PostgresCheckup(DataSource dataSource, DataSource listening, String schema) {
    this.dataSource = dataSource;
    this.listening = listening;
    this.sql = new Sql(schema);
    this.transactions = new Transactions(dataSource);
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
    return rows(ReadyKind.class, READY_KINDS);
  }

  @Override
  public List<OpenTransaction> transactionsOlderThan(Duration age) {
    return rows(
        TRANSACTIONS,
        query -> query.bind("seconds", age.toSeconds()),
        (row, context) ->
            new OpenTransaction(
                row.getInt("pid"),
                row.getString("user"),
                row.getString("application"),
                row.getString("state"),
                Duration.ofSeconds(row.getLong("seconds"))));
  }

  @Override
  public WaitingCommits commitsWaitingFor(Duration atLeast) {
    return olderThan(atLeast, WAITING_COMMITS, WaitingCommits.class).getFirst();
  }

  @Override
  public List<String> hiddenTables() {
    return transactions.runCall(connection -> RowSecurity.hiddenTables(connection, sql));
  }

  @Override
  public TransactionIds transactionIds() {
    return rows(TransactionIds.class, TRANSACTION_IDS).getFirst();
  }

  @Override
  public TicketReader tickets() {
    return new PostgresTicketReader(dataSource);
  }

  @Override
  public List<TableVacuum> tables() {
    return rows(
        TABLES, query -> query.bind("schema", sql.schema()), RecordMapper.of(TableVacuum.class));
  }

  @Override
  public List<ExpiredLease> leasesExpiredFor(Duration grace) {
    return rows(
        EXPIRED_LEASES,
        query -> query.bind("seconds", grace.toSeconds()),
        (row, context) ->
            new ExpiredLease(
                row.getString("worker_id"),
                row.getLong("tickets"),
                Duration.ofSeconds(row.getLong("seconds"))));
  }

  @Override
  public Stranded notDueWithin(Duration horizon) {
    return rows(
            NOT_DUE,
            query -> query.bind("seconds", horizon.toSeconds()),
            RecordMapper.of(Stranded.class))
        .getFirst();
  }

  @Override
  public Stranded withoutDesign() {
    return rows(Stranded.class, WITHOUT_DESIGN).getFirst();
  }

  @Override
  public Stranded behindHeld(Duration longest) {
    return olderThan(longest, BEHIND_HELD, Stranded.class).getFirst();
  }

  @Override
  public List<Limited> inLineFor(Duration longest) {
    return olderThan(longest, LONG_IN_LINE, Limited.class);
  }

  @Override
  public Stranded expiredFor(Duration longest) {
    return olderThan(longest, EXPIRED, Stranded.class).getFirst();
  }

  @Override
  public OldHolds heldFor(Duration longest) {
    return olderThan(longest, OLD_HOLDS, OldHolds.class).getFirst();
  }

  private <T> List<T> olderThan(Duration age, String statement, Class<T> type) {
    return rows(statement, query -> query.bind("seconds", age.toSeconds()), RecordMapper.of(type));
  }

  @Override
  public Stranded setInFuture() {
    return rows(Stranded.class, SET_IN_FUTURE).getFirst();
  }

  @Override
  public Stranded forNobody() {
    return rows(Stranded.class, FOR_NOBODY).getFirst();
  }

  @Override
  public Optional<Path> dataDirectory() {
    return rows(
            DATA_DIRECTORY, UnaryOperator.identity(), (row, context) -> Path.of(row.getString(1)))
        .stream()
        .findFirst();
  }

  @Override
  public List<String> references() {
    return rows(REFERENCES, UnaryOperator.identity(), (row, context) -> row.getString(1));
  }

  @Override
  public List<String> missingRoles() {
    return rows(MISSING_ROLES, UnaryOperator.identity(), (row, context) -> row.getString(1));
  }

  @Override
  public List<String> rolesWithoutRights() {
    return rows(
        ROLES_WITHOUT_RIGHTS,
        query -> query.bind("schema", sql.schema()),
        (row, context) -> row.getString(1));
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
      if (SqlErrors.translate(e) instanceof QuestionTooSlowException slow) {
        throw slow;
      }
      throw new DatabaseUnavailableException(
          "cannot listen for notifications: " + e.getMessage(), e);
    }
  }

  private void notify(String channel) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("NOTIFY " + channel);
    }
  }

  private <T> List<T> rows(Class<T> type, String statement) {
    return rows(statement, UnaryOperator.identity(), RecordMapper.of(type));
  }

  private <T> List<T> rows(String statement, UnaryOperator<Query> bound, RowMapper<T> mapper) {
    return transactions.runStatement(
        handle -> bound.apply(handle.createQuery(sql.inSchema(statement))).map(mapper).list());
  }
}
