package dev.holdfast.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The workers that claim tickets now: those that run and were heard of within the last minute.
 *
 * @param rows newest first
 */
public record LiveWorkers(List<WorkerRow> rows) {
  private static final Duration SILENCE = Duration.ofSeconds(60);

  public LiveWorkers {
    rows = List.copyOf(rows);
  }

  /**
   * @param all every row of {@code holdfast.workers}
   * @param now the database's time
   */
  public static LiveWorkers among(List<WorkerRow> all, Instant now) {
    return new LiveWorkers(
        all.stream()
            .filter(worker -> worker.state().equals("running"))
            .filter(worker -> worker.heartbeatAt().isAfter(now.minus(SILENCE)))
            .toList());
  }

  /** Whether one of them claims tickets of this kind from this queue. */
  public boolean take(String queue, String kind) {
    return rows.stream()
        .anyMatch(
            worker ->
                worker.kinds().contains(kind)
                    && (worker.queues() == null || worker.queues().contains(queue)));
  }

  /** Why nobody takes such a ticket, where {@link #take} says so. */
  public String whyNot(String queue, String kind) {
    return rows.isEmpty()
        ? "no worker runs"
        : "no live worker takes kind " + kind + " of queue " + queue;
  }
}
