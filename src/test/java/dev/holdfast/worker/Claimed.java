package dev.holdfast.worker;

import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Lease;
import dev.holdfast.ticket.Ticket;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Claimed tickets for what never looks at a database. */
final class Claimed {
  private static final Instant LONG_AGO = Instant.EPOCH;

  private Claimed() {}

  static ClaimedTicket ticket(long id) {
    return ticket(id, "default", 0);
  }

  static ClaimedTicket ticket(long id, String queue, int priority) {
    return new ClaimedTicket(
        new Ticket(id, queue, "job", null, "{}", priority, LONG_AGO),
        new Lease(1, "w", LONG_AGO, LONG_AGO),
        Optional.empty(),
        1,
        0,
        List.of());
  }
}
