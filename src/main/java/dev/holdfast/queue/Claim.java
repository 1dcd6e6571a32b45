package dev.holdfast.queue;

import dev.holdfast.ticket.ClaimedTicket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a claim found.
 *
 * @param tickets in claim order: priority DESC, created_at (A39)
 * @param nextDue how long until the next deferred ticket is due, zero if it is overdue; empty if
 *     there is none
 */
public record Claim(List<ClaimedTicket> tickets, Optional<Duration> nextDue) {
  public Claim {
    tickets = List.copyOf(tickets);
  }
}
