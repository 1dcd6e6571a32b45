package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.ErrorReport;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@WithDatabase
@Timeout(120)
class CompletersIT {
  private static final String LEASES = "SELECT count(*) FROM holdfast.leases WHERE worker_id = ?";

  private final TicketDatabase database;
  private final TestWorker setup;
  private final CountDownLatch successUnderWay = new CountDownLatch(1);
  private final CountDownLatch closedAlone = new CountDownLatch(1);
  private final Phaser together = new Phaser(2);

  CompletersIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.setup = new TestWorker(this.database);
  }

  @Test
  @DisplayName("A50: a lease is dropped though its last two results were stored at the same time")
  void closesLease() throws Exception {
    List<Long> ids = setup.enqueue(2);
    setup
        .handler(
            ticket -> {
              if (ticket.ticketId() == ids.getFirst()) {
                return HandlerResult.done(null);
              }
              successUnderWay.await();
              return HandlerResult.failed(ErrorReport.ofText("503 Service Unavailable"));
            })
        .queue(
            queue ->
                new QueueWrapper(queue) {
                  @Override
                  public List<FinishResult> finish(
                      List<? extends Finish> finishes, Collection<Long> closed) {
                    if (finishes.isEmpty()) {
                      List<FinishResult> none = super.finish(finishes, closed);
                      closedAlone.countDown();
                      return none;
                    }
                    if (finishes.getFirst() instanceof Finish.Succeeded) {
                      successUnderWay.countDown();
                    }
                    together.arriveAndAwaitAdvance();
                    List<FinishResult> results = super.finish(finishes, closed);
                    together.arriveAndAwaitAdvance();
                    return results;
                  }
                });
    try (Worker worker = setup.start()) {
      setup.events.await(TicketEvent.Succeeded.class, 1);
      setup.events.await(TicketEvent.RetryScheduled.class, 1);
      assertThat(closedAlone.await(60, TimeUnit.SECONDS)).as("a lease is dropped").isTrue();
      assertThat(database.value(LEASES, worker.id())).isEqualTo("0");
    }
    database.assertNoTicketIsLost();
  }
}
