package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.SqlErrors;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Channel;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox;
import dev.holdfast.ticket.HoldfastException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Takes tickets in through {@code holdfast.enqueue_ticket}, many at once by COPY. Thread-safe. */
public final class PostgresTicketInbox implements TicketInbox {
  /** The value of {@code payload.max-bytes} unless configured: 1 MiB of UTF-8. */
  public static final int DEFAULT_MAX_PAYLOAD_BYTES = 1_048_576;

  private static final String DEFAULT_SCHEMA = "holdfast";

  private final Transactions transactions;
  private final Sql sql;
  private final NewTicketRules rules;

  public PostgresTicketInbox(DataSource dataSource) {
    this(dataSource, DEFAULT_SCHEMA, DEFAULT_MAX_PAYLOAD_BYTES);
  }

  public PostgresTicketInbox(DataSource dataSource, String schema, int maxPayloadBytes) {
    this(dataSource, schema, PayloadLimits.of(maxPayloadBytes));
  }

  public PostgresTicketInbox(DataSource dataSource, String schema, PayloadLimits limits) {
    this(new Transactions(dataSource), new Sql(schema), limits);
  }

  /**
   * Makes an inbox like {@link #PostgresTicketInbox(DataSource, String, PayloadLimits)}, also for
   * use in a transaction.
   */
  public PostgresTicketInbox(Transactions transactions, Sql sql, PayloadLimits limits) {
    this(transactions, sql, new NewTicketRules(limits));
  }

  private PostgresTicketInbox(Transactions transactions, Sql sql, NewTicketRules rules) {
    this.transactions = transactions;
    this.sql = sql;
    this.rules = rules;
  }

  @Override
  public TicketInbox through(Channel channel) {
    return new PostgresTicketInbox(transactions.through(channel), sql, rules);
  }

  @Override
  public long enqueue(NewTicket ticket) {
    rules.check(ticket);
    return transactions.runCall(connection -> insert(connection, ticket));
  }

  /**
   * Enqueues on the caller's own connection: the ticket is there if and when the caller's
   * transaction commits, together with everything else it writes. This neither commits nor closes.
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
    return transactions.runOnce(
        connection -> new TicketAcceptance(connection, sql).accept(key, actor, ticket, this));
  }

  @Override
  public long enqueueAll(Iterator<NewTicket> tickets) {
    return transactions.runOnce(
        connection -> new TicketCopy(connection, sql, rules, null).copyAll(tickets));
  }

  @Override
  public Batched enqueueBatch(Iterator<NewTicket> tickets, String actor, @Nullable String title) {
    return transactions.runOnce(connection -> enqueueBatch(connection, tickets, actor, title));
  }

  /**
   * Enqueues like {@link #enqueueBatch(Iterator, String, String)}, on the caller's own connection
   * and in the caller's transaction. This neither commits nor closes.
   *
   * @throws HoldfastException also if the connection commits each statement by itself: a part of
   *     the batch would be there without the rest
   */
  public Batched enqueueBatch(
      Connection connection, Iterator<NewTicket> tickets, String actor, @Nullable String title) {
    try {
      requireTransaction(connection);
      long batch = sql.number(connection, "SELECT holdfast.open_batch(?, ?)", actor, title);
      TicketCopy copy = new TicketCopy(connection, sql, rules, batch);
      copy.copyAll(tickets);
      if (copy.traceparent() != null) {
        sql.number(connection, "SELECT holdfast.trace_batch(?, ?)", batch, copy.traceparent());
      }
      long added = sql.number(connection, "SELECT holdfast.close_batch(?, ?)", batch, actor);
      return new Batched(batch, added);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  private static void requireTransaction(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new HoldfastException(
          "a batch on a connection of yours needs a transaction: call setAutoCommit(false) before,"
              + " or leave the connection out");
    }
  }

  @Override
  public List<Long> enqueueGraph(List<Named> graph) {
    GraphJson.check(graph, rules);
    return transactions.runOnce(connection -> new GraphCall(connection, sql).enqueue(graph, null));
  }

  @Override
  public BatchedGraph enqueueGraphAsBatch(List<Named> graph, String actor, @Nullable String title) {
    GraphJson.check(graph, rules);
    return transactions.runOnce(
        connection -> {
          long batch = sql.number(connection, "SELECT holdfast.open_batch(?, ?)", actor, title);
          List<Long> ids = new GraphCall(connection, sql).enqueue(graph, batch);
          long added = sql.number(connection, "SELECT holdfast.close_batch(?, ?)", batch, actor);
          return new BatchedGraph(batch, added, ids);
        });
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
