package dev.holdfast;

import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.read.TicketReader;
import javax.sql.DataSource;

/**
 * Durable tickets inside a Java program.
 *
 * <pre>{@code
 * Holdfast.migrate(dataSource);
 * try (Worker worker = Holdfast.worker(dataSource)
 *     .handler("email", ticket -> { send(ticket.payload()); return HandlerResult.done(null); })
 *     .start()) {
 *   Holdfast.inbox(dataSource).enqueue(connection, NewTicket.ofKind("email").withPayload("{\"to\": \"ann\"}"));
 *   ...
 * }
 * }</pre>
 *
 * <p>The tables are in the schema {@code holdfast} of the given database (PostgreSQL 15 or newer).
 */
public final class Holdfast {
  static final String SCHEMA = "holdfast";

  private Holdfast() {}

  /** Creates or updates the schema; harmless when repeated. */
  public static void migrate(DataSource dataSource) {
    Migrations.migrate(dataSource);
  }

  /**
   * Begins to describe a worker. The data source gives connections for single transactions: a pool
   * of 5 is plenty, because no connection is held while a ticket runs, plus one that is kept for
   * notifications.
   */
  public static WorkerBuilder worker(DataSource dataSource) {
    return new WorkerBuilder(dataSource);
  }

  /**
   * Returns the inbox for new tickets. It stores each in a transaction of its own, many by COPY, or
   * inside the caller's transaction with {@link PostgresTicketInbox#enqueue(java.sql.Connection,
   * dev.holdfast.queue.NewTicket)}. Thread-safe; make one and keep it.
   */
  public static PostgresTicketInbox inbox(DataSource dataSource) {
    return new PostgresTicketInbox(dataSource);
  }

  /**
   * Returns the actions of people: release, hold, cancel, approve, reject, pause, resume.
   * Thread-safe.
   */
  public static TicketDesk desk(DataSource dataSource) {
    return new PostgresTicketDesk(dataSource);
  }

  /** Returns what reads tickets, queues and workers. Thread-safe. */
  public static TicketReader reader(DataSource dataSource) {
    return new PostgresTicketReader(dataSource);
  }
}
