package dev.holdfast.postgres.bench;

import dev.holdfast.postgres.SqlErrors;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.NewTicket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

/**
 * Enqueuers side by side, each with a connection, and with a commit per ticket. Before the time
 * runs each connects and adds {@link #FIRST} tickets, because the server plans a statement again
 * for its first five executions.
 */
public record Callers(DataSource direct, int count) {
  /** The number of tickets on each connection before the time runs. */
  public static final int FIRST = 10;

  /** Adds so many tickets. */
  interface Enqueuer {
    void add(Connection connection, int tickets) throws SQLException;
  }

  /**
   * Enqueues through the public API.
   *
   * @param tickets the tickets of all callers together
   */
  public RawProbe.Timing enqueue(PostgresTicketInbox inbox, NewTicket like, int tickets)
      throws InterruptedException {
    return run(
        tickets,
        (connection, share) -> {
          for (int i = 0; i < share; i++) {
            inbox.enqueue(connection, like);
          }
        });
  }

  RawProbe.Timing run(int tickets, Enqueuer enqueuer) throws InterruptedException {
    List<Callable<Long>> tasks = new ArrayList<>();
    try (OpenResources opened = new OpenResources()) {
      for (int i = 0; i < count; i++) {
        Connection own = opened.keep(direct.getConnection());
        enqueuer.add(own, FIRST);
        tasks.add(
            () -> {
              enqueuer.add(own, tickets / count);
              return System.nanoTime();
            });
      }
      long start = System.nanoTime();
      return new RawProbe.Timing(start, RawProbe.runAll(tasks));
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }
}
