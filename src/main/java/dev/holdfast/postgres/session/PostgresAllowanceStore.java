package dev.holdfast.postgres.session;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.session.AllowanceStore;
import java.time.Duration;
import javax.sql.DataSource;

/** {@code tickets.max_cost_usd} and the time of the attempts. Thread-safe. */
public final class PostgresAllowanceStore implements AllowanceStore {
  private final Transactions transactions;
  private final String read;

  public PostgresAllowanceStore(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
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
    return transactions.runStatement(
        handle ->
            handle
                .createQuery(read)
                .bind("ticket", ticketId)
                .map(
                    (row, context) ->
                        new Own(
                            row.getBigDecimal("max_cost_usd"),
                            Duration.ofMillis(Math.max(0, (long) row.getDouble("worked_ms")))))
                .findOne()
                .orElse(Own.NONE));
  }
}
