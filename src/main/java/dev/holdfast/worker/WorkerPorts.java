package dev.holdfast.worker;

import dev.holdfast.queue.FigureKeeper;
import dev.holdfast.queue.TicketListener;
import dev.holdfast.queue.TicketPruner;
import dev.holdfast.queue.TicketQueue;
import dev.holdfast.queue.WakeUps;
import dev.holdfast.queue.WorkerRegistry;
import dev.holdfast.secret.Secrets;
import java.util.List;

/**
 * The ports of a worker.
 *
 * @param whenPruned runs after the last batch of each pruning, on its thread
 * @param secrets that no result and no error may tell
 */
public record WorkerPorts(
    TicketQueue queue,
    WorkerRegistry registry,
    WakeUps wakeUps,
    TicketPruner pruner,
    Runnable whenPruned,
    FigureKeeper figures,
    List<TicketListener> listeners,
    Secrets secrets,
    Tracing tracing) {
  public WorkerPorts {
    listeners = List.copyOf(listeners);
  }
}
