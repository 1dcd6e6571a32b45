package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.RequestAnswers;
import dev.holdfast.queue.TicketInbox.RequestKey;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;

/** Reads and writes the table {@code request_keys}. Thread-safe. */
public final class PostgresRequestAnswers implements RequestAnswers {
  /** The ticket of requests that are about no ticket, or about many. */
  private static final long NO_TICKET = 0;

  private final Transactions transactions;
  private final String take;
  private final String keepTicket;
  private final String find;
  private final String keep;

  public PostgresRequestAnswers(DataSource dataSource, String schema) {
    Sql sql = new Sql(schema);
    this.transactions = new Transactions(dataSource);
    this.take = sql.inSchema("SELECT holdfast.take_request_key(:key, :request)");
    this.keepTicket = sql.inSchema("SELECT holdfast.keep_request_ticket(?, ?)");
    this.find =
        sql.inSchema(
            "SELECT ticket_id, answer, etag FROM holdfast.find_request(:key, :request) WHERE"
                + " ticket_id IS NOT NULL");
    this.keep = sql.inSchema("SELECT holdfast.keep_request_answer(?, ?, ?)");
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
    transactions.runStatement(handle -> keep(handle, key, answer, etag));
  }

  private int keep(Handle handle, RequestKey key, String answer, String etag) {
    return handle.execute(keep, key.key(), etag, answer);
  }

  /**
   * Does a deed and keeps its answer under a key, in one transaction. Empty if the key is there
   * already: then {@link #find} returns the answer.
   *
   * @param deed gets the transaction; it may be done again, as {@link Transactions} says
   */
  public Optional<String> once(RequestKey key, Function<Transactions, String> deed) {
    return transactions.run(
        handle -> {
          if (!isNew(handle, key)) {
            return Optional.empty();
          }
          String answer = deed.apply(transactions.within(handle));
          handle.execute(keepTicket, key.key(), NO_TICKET);
          keep(handle, key, answer, "");
          return Optional.of(answer);
        });
  }

  private boolean isNew(Handle handle, RequestKey key) {
    return handle
        .createQuery(take)
        .bind("key", key.key())
        .bind("request", key.request())
        .mapTo(Long.class)
        .findFirst()
        .isEmpty();
  }
}
