package dev.holdfast.worker;

import dev.holdfast.queue.TicketListener;
import dev.holdfast.queue.TicketPruner;
import dev.holdfast.queue.TicketQueue;
import dev.holdfast.queue.WakeUps;
import dev.holdfast.queue.WorkerRegistry;
import dev.holdfast.secret.Secrets;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * The ports of a worker.
 *
 * @param whenPruned runs after the last batch of each pruning, on its thread
 * @param figures counts what has happened, for people who look at figures by time; returns when to
 *     count again. Of many workers one counts, the others do nothing
 * @param batches ends batches, and takes releases to their next step; returns when to look again.
 *     One worker looks at a batch or a release at a time
 * @param secrets the values that no result and no error may contain
 */
public record WorkerPorts(
    TicketQueue queue,
    WorkerRegistry registry,
    WakeUps wakeUps,
    TicketPruner pruner,
    Runnable whenPruned,
    Supplier<Duration> figures,
    Supplier<Duration> batches,
    List<TicketListener> listeners,
    Secrets secrets,
    Tracing tracing) {
  public WorkerPorts {
    listeners = List.copyOf(listeners);
  }
}
