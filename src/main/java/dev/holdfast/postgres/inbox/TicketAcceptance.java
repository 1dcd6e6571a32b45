package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.Sql;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox.Accepted;
import dev.holdfast.queue.TicketInbox.RequestKey;
import java.sql.Connection;
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
        sql.number(
            connection,
            "SELECT COALESCE(holdfast.take_request_key(?, ?), -1)",
            key.key(),
            key.request());
    if (earlier >= 0) {
      return new Accepted(earlier, false);
    }
    Accepted accepted = enqueued(inbox.enqueue(connection, ticket), actor);
    sql.number(
        connection,
        "SELECT 0 FROM holdfast.keep_request_ticket(?, ?)",
        key.key(),
        accepted.ticketId());
    return accepted;
  }

  private Accepted enqueued(long ticketId, String actor) throws SQLException {
    long created =
        sql.number(connection, "SELECT holdfast.note_enqueued(?, ?)::int", ticketId, actor);
    return new Accepted(ticketId, created == 1);
  }
}
