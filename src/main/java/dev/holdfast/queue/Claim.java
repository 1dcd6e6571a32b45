package dev.holdfast.queue;

import dev.holdfast.ticket.ClaimedTicket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The result of a claim.
 *
 * @param tickets in claim order: priority DESC, created_at (A39)
 * @param nextDue how long until the next deferred ticket is due, zero if it is overdue; empty if
 *     there is none
 * @param unreadable tickets that are claimed and cannot be read; each says why, and is to be stored
 * @param suspect the ticket among them of which a worker died; empty if there is none
 */
public record Claim(
    List<ClaimedTicket> tickets,
    Optional<Duration> nextDue,
    List<Finish.Failed> unreadable,
    Optional<ClaimedTicket> suspect) {
  public Claim {
    tickets = List.copyOf(tickets);
    unreadable = List.copyOf(unreadable);
  }

  public Claim(List<ClaimedTicket> tickets, Optional<Duration> nextDue) {
    this(tickets, nextDue, List.of(), Optional.empty());
  }

  /** Returns the number of claimed tickets. */
  public int size() {
    return tickets.size() + unreadable.size();
  }
}
