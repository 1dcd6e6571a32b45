package dev.holdfast.bench;

import dev.holdfast.postgres.ConnectionPool;
import dev.holdfast.postgres.bench.BenchSchema;
import dev.holdfast.postgres.engine.PostgresWorkflowSteps;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import dev.holdfast.worker.TicketHandler;
import dev.holdfast.worker.WorkerSettings;
import dev.holdfast.workflow.WorkflowHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Measures a workflow: one ticket, then one for each item of its result, then one that gets all
 * their results. The time runs from the commit that enqueues it to the commit that ends it.
 */
final class FanOutCell implements Cell {
  private static final int MOST_ITEMS = 10_000;
  private static final int PATIENCE_SECONDS = 120;
  private static final String WORKFLOW =
      """
      {"steps": {
        "split": {"design": "bench-split"},
        "each": {"design": "bench-item", "after": ["split"], "for_each": "results.split", "payload": {"n": "${item}"}},
        "join": {"design": "bench-item", "after": ["each"], "payload": {"all": "${results.each}"}}}}
      """;

  private final List<Double> seconds = new ArrayList<>();

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    int items = Math.min(MOST_ITEMS, lab.options().tickets(MOST_ITEMS, 20));
    int rounds = lab.options().rounds(5);
    lab.warmUp();
    for (int round = 1; round <= rounds; round++) {
      seconds.add(run(lab, items));
      lab.round("fan-out", round, rounds, "%.2f s", seconds.getLast());
    }
    return new CellResult(
        CellName.FAN_OUT.wireName(),
        CellName.FAN_OUT.what(),
        List.of(
            Figure.of(String.format(Locale.ROOT, "1 to %,d to 1", items), "s", seconds)
                .judgedBy(Bar.atMost(3, 1.5), lab.options())),
        List.of());
  }

  private static double run(Lab lab, int items) throws InterruptedException {
    lab.tables().clear();
    lab.tables().forgetWorkers();
    lab.tables().putDesign("bench-split", Lab.QUEUE, "{}");
    lab.tables().putDesign("bench-item", Lab.QUEUE, "{}");
    lab.tables().putDesign("bench-workflow", "workflow", WORKFLOW);
    lab.tables().settle();
    BlockingQueue<Long> ended = new LinkedBlockingQueue<>();
    try (ConnectionPool pool = lab.pool(2);
        BenchWorker worker =
            BenchWorker.start(
                lab,
                WorkerSettings.defaults().withConcurrency(lab.options().concurrency()),
                RetrySettings.defaults(),
                handlers(pool, items),
                event -> {
                  if (event instanceof TicketEvent.Succeeded) {
                    ended.add(event.ticketId());
                  }
                })) {
      NewTicket workflow = NewTicket.ofDesign("bench-workflow").withQueue(Lab.QUEUE);
      long start = System.nanoTime();
      long id = lab.inbox(lab.direct()).enqueue(workflow);
      long deadline = start + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      while (true) {
        Long next = ended.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (next == null) {
          throw new HoldfastException(
              "the workflow did not end in " + PATIENCE_SECONDS + " s; look at the worker's log");
        } else if (next == id) {
          return (System.nanoTime() - start) / 1e9;
        }
      }
    }
  }

  private static Map<String, TicketHandler> handlers(ConnectionPool pool, int items) {
    String list = "[" + "7,".repeat(items - 1) + "7]";
    return Map.of(
        Lab.QUEUE,
        context -> HandlerResult.done(splits(context) ? list : "{\"ok\": true}"),
        "workflow",
        new WorkflowHandler(
            new PostgresWorkflowSteps(pool.dataSource(), BenchSchema.NAME), 1 << 20));
  }

  private static boolean splits(TicketContext context) {
    return context.claimed().design().filter(each -> each.name().equals("bench-split")).isPresent();
  }
}
