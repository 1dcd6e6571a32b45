package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.SqlErrors;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox;
import dev.holdfast.ticket.HoldfastException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Tickets come in through {@code holdfast.enqueue_ticket}, many at once by COPY. Thread-safe. */
public final class PostgresTicketInbox implements TicketInbox {
  /** {@code payload.max-bytes} unless configured: 1 MiB of UTF-8. */
  public static final int DEFAULT_MAX_PAYLOAD_BYTES = 1_048_576;

  private static final String DEFAULT_SCHEMA = "holdfast";

  private final DataSource dataSource;
  private final Sql sql;
  private final NewTicketRules rules;

  public PostgresTicketInbox(DataSource dataSource) {
    this(dataSource, DEFAULT_SCHEMA, DEFAULT_MAX_PAYLOAD_BYTES);
  }

  public PostgresTicketInbox(DataSource dataSource, String schema, int maxPayloadBytes) {
    this(dataSource, schema, PayloadLimits.of(maxPayloadBytes));
  }

  public PostgresTicketInbox(DataSource dataSource, String schema, PayloadLimits limits) {
    this.dataSource = dataSource;
    this.sql = new Sql(schema);
    this.rules = new NewTicketRules(limits);
  }

  @Override
  public long enqueue(NewTicket ticket) {
    rules.check(ticket);
    try (Connection connection = dataSource.getConnection()) {
      return insert(connection, ticket);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /**
   * Enqueues on the caller's own connection: the ticket is there if and when the caller's
   * transaction commits, together with whatever else it writes. Neither commits nor closes.
   *
   * @return the ticket's id, or that of the kept ticket which already has its unique key
   * @throws HoldfastException as {@link #enqueue(NewTicket)}. If the database was asked before (a
   *     design that does not exist, a lost connection), the caller's transaction can only be rolled
   *     back
   */
  public long enqueue(Connection connection, NewTicket ticket) {
    rules.check(ticket);
    try {
      return insert(connection, ticket);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  @Override
  public Accepted accept(NewTicket ticket, String actor, @Nullable RequestKey key) {
    rules.check(ticket);
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        Accepted accepted = new TicketAcceptance(connection, sql).accept(key, actor, ticket, this);
        connection.commit();
        return accepted;
      } finally {
        // Undoes what was not committed.
        connection.rollback();
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  @Override
  public long enqueueAll(Iterator<NewTicket> tickets) {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        long added = new TicketCopy(connection, sql, rules).copyAll(tickets);
        connection.commit();
        return added;
      } finally {
        // Undoes what was not committed.
        connection.rollback();
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  @Override
  public List<Long> enqueueGraph(List<Named> graph) {
    String json = GraphJson.of(graph, rules);
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement =
            connection.prepareStatement(
                sql.inSchema("SELECT id FROM holdfast.enqueue_tickets(?::jsonb)"))) {
      statement.setString(1, json);
      List<Long> ids = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          ids.add(rows.getLong(1));
        }
      }
      return ids;
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  private long insert(Connection connection, NewTicket ticket) throws SQLException {
    EnqueueCall call = EnqueueCall.of(ticket);
    try (PreparedStatement statement =
        connection.prepareStatement(sql.inSchema(call.statement()))) {
      call.bind(statement);
      try (ResultSet id = statement.executeQuery()) {
        id.next();
        return id.getLong(1);
      }
    }
  }
}
