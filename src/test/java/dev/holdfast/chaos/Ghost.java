package dev.holdfast.chaos;

import dev.holdfast.testing.TicketDatabase;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A worker that comes back from the dead, again and again: it hands in results under leases that
 * are over, first of all for tickets that are not finished yet. Each has to be refused; one that is
 * not stands in the ledger as a result of no execution.
 */
final class Ghost implements AutoCloseable {
  private static final int PERIOD_MILLIS = 150;
  private static final int AT_ONCE = 3;

  private static final String OVER =
      """
      SELECT a.ticket_id || ' ' || a.lease_no
      FROM holdfast.ticket_attempts a JOIN holdfast.ticket_base b ON b.id = a.ticket_id
      WHERE a.outcome IN ('crashed', 'given_back', 'failed')
      ORDER BY b.state = 'ready' DESC, a.finished_at DESC
      LIMIT ?
      """;

  private final TicketDatabase database;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread = Thread.ofPlatform().name("chaos-ghost").unstarted(this::run);
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger accepted = new AtomicInteger();

  Ghost(TicketDatabase database) {
    this.database = database;
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      while (!stopped.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
        haunt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void haunt() {
    try {
      for (String each : database.column(OVER, AT_ONCE)) {
        String[] words = each.split(" ");
        List<String> answer =
            database.column(
                "SELECT ticket_id FROM holdfast.store_successes(ARRAY[?::bigint],"
                    + " ARRAY[?::bigint], ARRAY['done'], ARRAY['{\"ghost\": true}'], '{}')",
                words[0],
                words[1]);
        if (answer.isEmpty()) {
          accepted.incrementAndGet();
        } else {
          refused.incrementAndGet();
        }
      }
    } catch (AssertionError e) {
      // The database is what is broken just now.
    }
  }

  int refused() {
    return refused.get();
  }

  int accepted() {
    return accepted.get();
  }

  void stop() throws InterruptedException {
    stopped.countDown();
    thread.join();
  }

  @Override
  public void close() throws InterruptedException {
    stop();
  }
}
