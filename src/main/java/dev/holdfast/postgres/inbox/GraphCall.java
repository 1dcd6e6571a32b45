package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.Sql;
import dev.holdfast.queue.TicketInbox.Named;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call of {@code holdfast.enqueue_tickets} inside the transaction that is open. */
record GraphCall(Connection connection, Sql sql) {
  /**
   * @param graph a graph whose tickets the rules allow
   * @param batch the open batch that they join; null for none
   * @return the ids in their order, including those of tickets that were there already
   */
  List<Long> enqueue(List<Named> graph, @Nullable Long batch) throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            sql.inSchema("SELECT id FROM holdfast.enqueue_tickets(?::jsonb, ?::bigint)"))) {
      statement.setString(1, GraphJson.of(graph));
      statement.setObject(2, batch);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ids.add(rows.getLong(1));
        }
      }
    }
    trace(graph, ids);
    return ids;
  }

  private void trace(List<Named> graph, List<Long> ids) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(sql.inSchema("SELECT holdfast.trace_ticket(?, ?)"))) {
      for (int i = 0; i < ids.size(); i++) {
        String traceparent = graph.get(i).ticket().traceparent();
        if (traceparent != null) {
          statement.setLong(1, ids.get(i));
          statement.setString(2, traceparent);
          statement.executeQuery().close();
        }
      }
    }
  }
}
