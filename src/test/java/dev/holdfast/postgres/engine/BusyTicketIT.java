package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.failure.Category;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A person types BEGIN, touches a running ticket, and goes for lunch. */
@WithDatabase
@EverySetup
class BusyTicketIT {
  private final TicketDatabase database;
  private final TestQueue queue;
  private final Connection person;
  private long id;
  private long lease;

  BusyTicketIT(TestDatabase database) throws SQLException {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
    this.person = this.database.dataSource().getConnection();
  }

  @BeforeEach
  void lock() throws SQLException {
    id = queue.enqueue();
    lease = queue.claim();
    person.setAutoCommit(false);
    person
        .createStatement()
        .execute("UPDATE holdfast.tickets SET title = 'lunch' WHERE id = " + id);
  }

  @AfterEach
  void nothingIsLost() throws SQLException {
    person.close();
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("A46: a result for a locked ticket is refused soon instead of waiting for ever")
  void success() throws SQLException {
    assertThatThrownBy(() -> queue.succeed(id, lease))
        .isInstanceOf(TicketBusyException.class)
        .hasMessageContaining("another transaction has it locked");
    person.commit();

    assertThat(queue.succeed(id, lease)).isInstanceOf(FinishResult.Succeeded.class);
    assertThat(database.ticket(id)).containsEntry("title", "lunch");
  }

  @Test
  @DisplayName("A46: a failure and a give-back of a locked ticket likewise")
  void failure() throws SQLException {
    assertThatThrownBy(() -> queue.fail(id, lease, Category.UNKNOWN))
        .isInstanceOf(TicketBusyException.class);
    assertThatThrownBy(() -> queue.giveBack(id, lease)).isInstanceOf(TicketBusyException.class);
    person.rollback();

    assertThat(queue.fail(id, lease, Category.UNKNOWN)).isInstanceOf(FinishResult.Retried.class);
  }

  @Test
  @DisplayName("A46: other tickets are claimed and finished meanwhile")
  void others() {
    long other = queue.enqueue();

    assertThat(queue.succeed(other, queue.claim())).isInstanceOf(FinishResult.Succeeded.class);
  }
}
