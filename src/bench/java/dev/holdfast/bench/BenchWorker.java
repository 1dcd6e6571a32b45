package dev.holdfast.bench;

import dev.holdfast.Holdfast;
import dev.holdfast.WorkerBuilder;
import dev.holdfast.postgres.ConnectionPool;
import dev.holdfast.postgres.bench.BenchSchema;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.TicketListener;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketHandler;
import dev.holdfast.worker.Worker;
import dev.holdfast.worker.WorkerSettings;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The real worker, as a program would start it, on a pool of its own. */
final class BenchWorker implements AutoCloseable {
  /** The kind of tickets that only show that the worker is up. They are no part of any figure. */
  static final String HELLO = "hello";

  static final int HELLOS = 2;
  private static final int PATIENCE_SECONDS = 60;

  private final ConnectionPool pool;
  private final Worker worker;

  private BenchWorker(ConnectionPool pool, Worker worker) {
    this.pool = pool;
    this.worker = worker;
  }

  /**
   * Starts it and waits until it has worked two tickets of the kind {@value #HELLO}, so that its
   * connections are open and it listens.
   *
   * @param listener hears only of tickets that are measured
   */
  static BenchWorker start(
      Lab lab,
      WorkerSettings settings,
      RetrySettings retry,
      TicketHandler handler,
      TicketListener listener)
      throws InterruptedException {
    return start(lab, settings, retry, Map.of(Lab.QUEUE, handler), listener);
  }

  /** Starts it like the other method, with a handler for each kind. */
  static BenchWorker start(
      Lab lab,
      WorkerSettings settings,
      RetrySettings retry,
      Map<String, TicketHandler> handlers,
      TicketListener listener)
      throws InterruptedException {
    ConnectionPool pool = lab.pool(Math.max(10, settings.pollers() + 4));
    BlockingQueue<Long> hellos = new LinkedBlockingQueue<>();
    AtomicInteger missing = new AtomicInteger(HELLOS);
    TicketListener filtered =
        event -> {
          if (missing.get() == 0) {
            listener.on(event);
          } else if (event instanceof TicketEvent.Succeeded) {
            missing.decrementAndGet();
            hellos.add(event.ticketId());
          }
        };
    try {
      WorkerBuilder builder = Holdfast.worker(pool.dataSource());
      handlers.forEach(builder::handler);
      Worker worker =
          builder
              .schema(BenchSchema.NAME)
              .handler(HELLO, context -> HandlerResult.done(null))
              .listenOn(lab.database().listening())
              .settings(settings)
              .retry(retry)
              .listener(filtered)
              .start();
      BenchWorker started = new BenchWorker(pool, worker);
      started.sayHello(lab, hellos);
      return started;
    } catch (RuntimeException e) {
      pool.close();
      throw e;
    }
  }

  private void sayHello(Lab lab, BlockingQueue<Long> hellos) throws InterruptedException {
    for (int i = 0; i < HELLOS; i++) {
      lab.inbox(lab.own()).enqueue(NewTicket.ofKind(HELLO).withQueue(HELLO));
      if (hellos.poll(PATIENCE_SECONDS, TimeUnit.SECONDS) == null) {
        close();
        throw new HoldfastException(
            "the worker did not work a single ticket in " + PATIENCE_SECONDS + " s; see its log");
      }
    }
  }

  @Override
  public void close() {
    worker.close();
    pool.close();
  }
}
