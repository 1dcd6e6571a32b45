package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.OneTransaction;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.SqlErrors;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.RequestAnswers;
import dev.holdfast.queue.TicketInbox.RequestKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads and writes the table {@code request_keys}. Thread-safe. */
public final class PostgresRequestAnswers implements RequestAnswers {
  /** Of requests that are about no ticket, or many. */
  private static final long NO_TICKET = 0;

  private final DataSource dataSource;
  private final String take;
  private final String complete;
  private final Transactions transactions;
  private final String find;
  private final String keep;

  public PostgresRequestAnswers(DataSource dataSource, String schema) {
    Sql sql = new Sql(schema);
    this.dataSource = dataSource;
    this.take = sql.inSchema("SELECT holdfast.take_request_key(?, ?)");
    this.complete =
        sql.inSchema(
            "SELECT holdfast.keep_request_ticket(?, "
                + NO_TICKET
                + "), holdfast.keep_request_answer(?, '', ?)");
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

  /**
   * Does a deed and keeps its answer under a key, in one transaction. Empty where the key is there
   * already: {@link #find} tells the answer.
   *
   * @param deed is given connections that take part in the transaction
   */
  public Optional<String> once(RequestKey key, Function<DataSource, String> deed) {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        if (!isNew(connection, key)) {
          connection.rollback();
          return Optional.empty();
        }
        OneTransaction together = new OneTransaction(connection, dataSource);
        String answer = deed.apply(together.dataSource());
        if (together.isUndone()) {
          throw new IllegalStateException("the deed rolled its transaction back and went on");
        }
        run(connection, complete, key.key(), key.key(), answer);
        connection.commit();
        return Optional.of(answer);
      } catch (RuntimeException | SQLException e) {
        connection.rollback();
        throw e;
      } finally {
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  private boolean isNew(Connection connection, RequestKey key) throws SQLException {
    return run(connection, take, key.key(), key.request()) == null;
  }

  private static @Nullable Object run(Connection connection, String query, String... arguments)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setString(i + 1, arguments[i]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getObject(1);
      }
    }
  }
}
