package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.Review;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A heartbeat renews a lease in the moment in which its last result is stored. */
@WithDatabase
@EverySetup
class LockedLeaseIT {
  private static final String LEASES = "SELECT count(*) FROM holdfast.leases";

  private final TicketDatabase database;
  private final TestQueue queue;

  LockedLeaseIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("A50: a finished lease that was locked is dropped soon after, not when it expires")
  void dropsLater() throws SQLException {
    long id = queue.enqueue();
    long lease = queue.claim();
    try (Connection heartbeat = database.dataSource().getConnection()) {
      heartbeat.setAutoCommit(false);
      heartbeat.createStatement().execute("SELECT FROM holdfast.leases FOR NO KEY UPDATE");

      assertThat(
              queue
                  .queue()
                  .finish(
                      List.of(new Finish.Succeeded(id, lease, null, Review.HUMAN, null)),
                      List.of(lease)))
          .singleElement()
          .isInstanceOf(FinishResult.Succeeded.class);
      assertThat(database.number(LEASES)).isEqualTo(1);
      heartbeat.rollback();
    }

    assertThat(queue.queue().rescue(10)).isEmpty();

    assertThat(database.number(LEASES)).isZero();
  }
}
