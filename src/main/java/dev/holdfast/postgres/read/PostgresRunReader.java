package dev.holdfast.postgres.read;

import dev.holdfast.postgres.EscapedJson;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.repair.trace.RunReader;
import dev.holdfast.repair.trace.TraceEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import tools.jackson.databind.json.JsonMapper;

/** Reads the view {@code repair_events}. Thread-safe. */
public final class PostgresRunReader implements RunReader {
  private final Transactions transactions;
  private final String read;

  public PostgresRunReader(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.read =
        new Sql(schema)
            .inSchema(
                """
                SELECT ticket_id, at, run, type, payload::text AS payload FROM holdfast.repair_events
                WHERE written_at >= now() - :seconds * interval '1 second' ORDER BY written_at, ticket_id, seq, no
                """);
  }

  @Override
  public List<TraceEvent> events(Duration window) {
    return transactions.run(
        handle ->
            handle
                .createQuery(read)
                .bind("seconds", window.toSeconds())
                .map((row, context) -> event(row))
                .list());
  }

  private static TraceEvent event(ResultSet row) throws SQLException {
    return new TraceEvent(
        row.getString("run"),
        row.getLong("ticket_id"),
        row.getTimestamp("at").toInstant().toString(),
        row.getString("type"),
        JsonMapper.shared().readTree(EscapedJson.unescape(row.getString("payload"))));
  }
}
