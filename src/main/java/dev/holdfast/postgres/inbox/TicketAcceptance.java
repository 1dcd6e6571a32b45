package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.Sql;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox.Accepted;
import dev.holdfast.queue.TicketInbox.RequestKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Takes a ticket for a request that counts once, inside one open transaction. */
record TicketAcceptance(Connection connection, Sql sql) {
  Accepted accept(
      @Nullable RequestKey key, String actor, NewTicket ticket, PostgresTicketInbox inbox)
      throws SQLException {
    if (key == null) {
      return enqueued(inbox.enqueue(connection, ticket), actor);
    }
    long earlier =
        number("SELECT COALESCE(holdfast.take_request_key(?, ?), -1)", key.key(), key.request());
    if (earlier >= 0) {
      return new Accepted(earlier, false);
    }
    Accepted accepted = enqueued(inbox.enqueue(connection, ticket), actor);
    number("SELECT 0 FROM holdfast.keep_request_ticket(?, ?)", key.key(), accepted.ticketId());
    return accepted;
  }

  private Accepted enqueued(long ticketId, String actor) throws SQLException {
    long created = number("SELECT holdfast.note_enqueued(?, ?)::int", ticketId, actor);
    return new Accepted(ticketId, created == 1);
  }

  private long number(String statement, Object... arguments) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(sql.inSchema(statement))) {
      for (int i = 0; i < arguments.length; i++) {
        query.setObject(i + 1, arguments[i]);
      }
      try (ResultSet rows = query.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    }
  }
}
