package dev.holdfast.postgres.session;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.session.AllowanceStore;
import java.time.Duration;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;

/** Reads {@code tickets.max_cost_usd} and the time of the attempts. Thread-safe. */
public final class PostgresAllowanceStore implements AllowanceStore {
  private final Transactions transactions;
  private final Persistence persistence;
  private final String read;

  public PostgresAllowanceStore(DataSource dataSource, String schema) {
    this(dataSource, schema, new Persistence(Sleeper.REAL));
  }

  PostgresAllowanceStore(DataSource dataSource, String schema, Persistence persistence) {
    this.transactions = new Transactions(dataSource);
    this.persistence = persistence;
    this.read =
        new Sql(schema)
            .inSchema(
                """
                SELECT b.max_cost_usd, (
                  SELECT COALESCE(sum(extract(epoch FROM a.finished_at - a.started_at)), 0)::double precision * 1000
                  FROM holdfast.ticket_attempts a WHERE a.ticket_id = b.id) AS worked_ms
                FROM holdfast.ticket_base b WHERE b.id = :ticket
                """);
  }

  @Override
  public Own of(long ticketId) {
    return persistence.insist(() -> transactions.runStatement(handle -> read(handle, ticketId)));
  }

  private Own read(Handle handle, long ticketId) {
    return handle
        .createQuery(read)
        .bind("ticket", ticketId)
        .map(
            (row, context) ->
                new Own(
                    row.getBigDecimal("max_cost_usd"),
                    Duration.ofMillis(Math.max(0, (long) row.getDouble("worked_ms")))))
        .findOne()
        .orElse(Own.NONE);
  }
}
