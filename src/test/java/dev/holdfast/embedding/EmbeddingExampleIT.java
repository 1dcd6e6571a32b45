package dev.holdfast.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.failure.TypedFailureException;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.TicketListener;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.Worker;
import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The examples of the README and of docs/embedding.md, compiled and run. */
@WithDatabase
class EmbeddingExampleIT {
  private final DataSource dataSource;
  private final BlockingQueue<TicketEvent> ended = new LinkedBlockingQueue<>();

  EmbeddingExampleIT(TestDatabase database) {
    this.dataSource = database.dataSource();
  }

  @BeforeEach
  void migrate() {
    Holdfast.migrate(dataSource);
  }

  private final TicketListener collectEnds =
      event -> {
        if (!(event instanceof TicketEvent.Claimed)) {
          ended.add(event);
        }
      };

  private TicketEvent nextEnd() throws InterruptedException {
    TicketEvent event = ended.poll(20, TimeUnit.SECONDS);
    assertThat(event).as("an outcome within 20 s").isNotNull();
    return event;
  }

  private TicketRow row(long id) {
    return Holdfast.reader(dataSource).find(id).orElseThrow();
  }

  @Test
  @DisplayName(
      "a worker inside a program runs a ticket that was enqueued in the caller's transaction")
  void readmeExample() throws Exception {
    PostgresTicketInbox inbox = Holdfast.inbox(dataSource);
    try (Worker worker =
        Holdfast.worker(dataSource)
            .handler("email", ticket -> HandlerResult.done("{\"sent\": true}"))
            .concurrency(20)
            .listener(collectEnds)
            .start()) {
      assertThat(worker.healthy()).isTrue();
      long id;
      try (Connection connection = dataSource.getConnection()) {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
          statement.execute("CREATE TABLE orders (id integer)");
          statement.execute("INSERT INTO orders VALUES (1)");
        }
        id = inbox.enqueue(connection, NewTicket.ofKind("email").withPayload("{\"to\": \"ann\"}"));
        connection.commit();
      }
      assertThat(nextEnd().ticketId()).isEqualTo(id);
      assertThat(row(id).state()).isEqualTo("done");
      assertThat(row(id).result()).isEqualTo("{\"sent\": true}");
    }
  }

  @Test
  @DisplayName("a ticket of a transaction that is rolled back was never there")
  void rollback() throws Exception {
    PostgresTicketInbox inbox = Holdfast.inbox(dataSource);
    long id;
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      id = inbox.enqueue(connection, NewTicket.ofKind("email"));
      connection.rollback();
    }
    assertThat(Holdfast.reader(dataSource).find(id)).isEmpty();
  }

  @Test
  @DisplayName("a handler says outright what went wrong by an exception with its evidence")
  void typedFailure() throws Exception {
    try (Worker worker =
        Holdfast.worker(dataSource)
            .handler(
                "payment",
                ticket -> {
                  throw new TypedFailureException(
                      ErrorReport.ofText("the bank is closed")
                          .withStatedCategory(Category.API_ERROR));
                })
            .listener(collectEnds)
            .start()) {
      long id = Holdfast.inbox(dataSource).enqueue(NewTicket.ofKind("payment"));
      assertThat(nextEnd()).isInstanceOf(TicketEvent.RetryScheduled.class);
      assertThat(row(id).errorCategory()).isEqualTo("api_error");
      assertThat(row(id).state()).isEqualTo("ready");
      assertThat(worker.running()).isZero();
    }
  }
}
