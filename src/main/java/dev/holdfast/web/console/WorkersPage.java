package dev.holdfast.web.console;

import dev.holdfast.queue.read.WorkerRow;
import dev.holdfast.queue.view.RunningTicket;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The worker processes.
 *
 * @param running what each runs now, by its id
 * @param sandbox how the worker that serves the page confines programs of tools; may be empty
 */
public record WorkersPage(
    Page page, List<WorkerRow> workers, Map<String, List<RunningTicket>> running, String sandbox) {
  private static final Duration LOST = Duration.ofMinutes(1);

  public WorkersPage {
    workers = List.copyOf(workers);
    running = Map.copyOf(running);
  }

  public List<RunningTicket> runs(WorkerRow worker) {
    return running.getOrDefault(worker.id(), List.of());
  }

  /** The state, or "lost" where it has not been heard of for a minute. */
  public String state(WorkerRow worker) {
    return !worker.state().equals("stopped")
            && Duration.between(worker.heartbeatAt(), page.now()).compareTo(LOST) > 0
        ? "lost"
        : worker.state();
  }
}
