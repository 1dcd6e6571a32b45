package shop;

import dev.holdfast.Holdfast;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Takes orders: the order and the ticket that tells of it are there together or not at all. */
public final class Shop {
  private final DataSource dataSource;
  private final PostgresTicketInbox inbox;

  private Shop(DataSource dataSource) {
    this.dataSource = dataSource;
    this.inbox = Holdfast.inbox(dataSource);
  }

  /** Arguments: a JDBC URL, a user, a password. */
  public static void main(String[] arguments) throws Exception {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(arguments[0]);
    source.setUser(arguments[1]);
    source.setPassword(arguments[2]);
    Holdfast.migrate(source);
    new Shop(source).sell();
  }

  private void sell() throws Exception {
    BlockingQueue<TicketEvent> ended = new LinkedBlockingQueue<>();
    try (Worker worker =
        Holdfast.worker(dataSource)
            .handler("email", ticket -> HandlerResult.done("{\"sent\": true}"))
            .listener(
                event -> {
                  if (!(event instanceof TicketEvent.Claimed)) {
                    ended.add(event);
                  }
                })
            .start()) {
      long forgotten = order(false);
      long told = order(true);
      TicketEvent end = ended.poll(30, TimeUnit.SECONDS);
      if (end == null || end.ticketId() != told || !worker.healthy()) {
        throw new IllegalStateException("ticket " + told + " has not ended, but: " + end);
      }
      System.out.println(
          "module "
              + Shop.class.getModule().getName()
              + ": "
              + Holdfast.reader(dataSource).find(told).orElseThrow().state()
              + ", forgotten "
              + Holdfast.reader(dataSource).find(forgotten).isEmpty());
    }
  }

  private long order(boolean wanted) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("CREATE TABLE IF NOT EXISTS shop_order (item text)");
      statement.execute("INSERT INTO shop_order VALUES ('a book')");
      long ticket = inbox.enqueue(connection, NewTicket.ofKind("email").withPayload("{}"));
      if (wanted) {
        connection.commit();
      } else {
        connection.rollback();
      }
      return ticket;
    }
  }
}
