package dev.holdfast.queue.read;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The workers that claim tickets now: those that run and were heard of within the last minute, by
 * the database's clock.
 *
 * @param rows newest first
 */
public record LiveWorkers(List<WorkerRow> rows) {
  public LiveWorkers {
    rows = List.copyOf(rows);
  }

  /** Returns true if one of them claims tickets of this kind from this queue. */
  public boolean take(String queue, String kind) {
    return rows.stream()
        .anyMatch(
            worker ->
                worker.kinds().contains(kind)
                    && (worker.queues() == null || worker.queues().contains(queue)));
  }

  /**
   * Returns why no worker takes a ticket that is ready for one now; empty if one does, and for
   * tickets that wait for a person or a time.
   */
  public Optional<String> missingFor(TicketRow ticket, Instant now) {
    boolean due = ticket.retryAfter() == null || !ticket.retryAfter().isAfter(now);
    if (!ticket.state().equals("ready")
        || "human".equals(ticket.assigneeType())
        || !due
        || take(ticket.queue(), ticket.kind())) {
      return Optional.empty();
    }
    return Optional.of(
        rows.isEmpty()
            ? "no worker runs"
            : "no live worker takes kind " + ticket.kind() + " of queue " + ticket.queue());
  }
}
