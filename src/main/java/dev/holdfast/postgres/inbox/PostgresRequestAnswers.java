package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.RequestAnswers;
import dev.holdfast.queue.TicketInbox.RequestKey;
import java.util.Optional;
import javax.sql.DataSource;

/** Reads and writes the table {@code request_keys}. Thread-safe. */
public final class PostgresRequestAnswers implements RequestAnswers {
  private final Transactions transactions;
  private final String find;
  private final String keep;

  public PostgresRequestAnswers(DataSource dataSource, String schema) {
    Sql sql = new Sql(schema);
    this.transactions = new Transactions(dataSource);
    this.find =
        sql.inSchema(
            "SELECT ticket_id, answer, etag FROM holdfast.find_request(:key, :request) WHERE"
                + " ticket_id IS NOT NULL");
    this.keep = sql.inSchema("SELECT holdfast.keep_request_answer(:key, :etag, :answer)");
  }

  @Override
  public Optional<Kept> find(RequestKey key) {
    return transactions.runStatement(
        handle ->
            handle
                .createQuery(find)
                .bind("key", key.key())
                .bind("request", key.request())
                .map(
                    (row, context) ->
                        new Kept(
                            row.getLong("ticket_id"),
                            row.getString("answer"),
                            row.getString("etag")))
                .findFirst());
  }

  @Override
  public void keep(RequestKey key, String answer, String etag) {
    transactions.runStatement(
        handle ->
            handle
                .createQuery(keep)
                .bind("key", key.key())
                .bind("etag", etag)
                .bind("answer", answer)
                .mapTo(String.class)
                .list());
  }
}
