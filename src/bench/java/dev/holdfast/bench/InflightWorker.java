package dev.holdfast.bench;

import dev.holdfast.postgres.Database;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.TicketListener;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import dev.holdfast.worker.WorkerSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The other process of {@link InflightCell}: a worker whose tickets wait. It reads how many tickets
 * will come, and answers with the rate at which they were done; it ends when its input ends.
 */
public final class InflightWorker implements TicketListener {
  static final String UP = "up";
  static final String LISTENING = "listening";
  static final String RATE = "rate ";
  static final int WAIT_MILLIS = 200;

  private final int width;
  private volatile Phase phase = new Phase(Long.MAX_VALUE, Long.MAX_VALUE);

  /**
   * Measures from the width-th commit to the width-th before the last: outside of that not every
   * slot is in use.
   */
  private static final class Phase {
    final long from;
    final long to;
    final long expected;
    final AtomicLong count = new AtomicLong();
    final CountDownLatch complete = new CountDownLatch(1);
    volatile long startNanos;
    volatile long endNanos;

    Phase(long width, long expected) {
      this.from = width;
      this.to = expected - width;
      this.expected = expected;
    }

    void add() {
      long now = count.incrementAndGet();
      if (now == from) {
        startNanos = System.nanoTime();
      } else if (now == to) {
        endNanos = System.nanoTime();
      } else if (now == expected) {
        complete.countDown();
      }
    }

    double rate() throws InterruptedException {
      complete.await();
      return (to - from) * 1e9 / (endNanos - startNanos);
    }
  }

  private InflightWorker(int width) {
    this.width = width;
  }

  @Override
  public void on(TicketEvent event) {
    if (event instanceof TicketEvent.Succeeded) {
      phase.add();
    }
  }

  private static HandlerResult waitAWhile(TicketContext context) throws InterruptedException {
    if (new CountDownLatch(1).await(WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException("nobody can count this down");
    }
    return HandlerResult.done(null);
  }

  private void run(Lab lab) throws InterruptedException, IOException {
    WorkerSettings settings = WorkerSettings.defaults().withConcurrency(width);
    try (BenchWorker worker =
            BenchWorker.start(
                lab, settings, RetrySettings.defaults(), InflightWorker::waitAWhile, this);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      System.out.println(UP);
      String line;
      while ((line = in.readLine()) != null) {
        phase = new Phase(width, Long.parseLong(line.strip()));
        System.out.println(LISTENING);
        System.out.println(RATE + phase.rate());
      }
    }
  }

  /**
   * @param arguments the number of tickets at once
   */
  public static void main(String[] arguments) throws Exception {
    String url = System.getenv("HOLDFAST_DATABASE_URL");
    if (arguments.length != 1 || url == null) {
      System.err.println("holdfast bench inflight starts this; run that");
      return;
    }
    Database database =
        new Database(
            url,
            System.getenv("HOLDFAST_DATABASE_USER"),
            System.getenv("HOLDFAST_DATABASE_PASSWORD"),
            10,
            "holdfast-bench");
    int width = Integer.parseInt(arguments[0]);
    BenchOptions options = new BenchOptions(0, 0, 0, width, false);
    new InflightWorker(width).run(new Lab(database, List.of(), options, System.err::println));
  }
}
