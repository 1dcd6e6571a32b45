package dev.holdfast.ticket;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A ticket under a lease, with all that its handler needs.
 *
 * @param design the design it was enqueued with; empty for a ticket of a kind alone (A41)
 * @param attempt this execution's number, from 1; never reset
 * @param retryCount retries used since it was enqueued or last released
 * @param guidance what people said at releases and rejections, oldest first
 * @param results of the tickets that it was enqueued after under a name, as a JSON object by these
 *     names; null where there are none
 * @param suspect whether its worker died in an earlier execution, since it was enqueued or last
 *     released
 */
public record ClaimedTicket(
    Ticket ticket,
    Lease lease,
    Optional<Design> design,
    int attempt,
    int retryCount,
    List<Guidance> guidance,
    @Nullable String results,
    boolean suspect) {
  /** Of a ticket that is given no results of others. */
  public ClaimedTicket(
      Ticket ticket,
      Lease lease,
      Optional<Design> design,
      int attempt,
      int retryCount,
      List<Guidance> guidance) {
    this(ticket, lease, design, attempt, retryCount, guidance, null, false);
  }

  /** Of a ticket that has killed no worker. */
  public ClaimedTicket(
      Ticket ticket,
      Lease lease,
      Optional<Design> design,
      int attempt,
      int retryCount,
      List<Guidance> guidance,
      @Nullable String results) {
    this(ticket, lease, design, attempt, retryCount, guidance, results, false);
  }

  public ClaimedTicket {
    guidance = List.copyOf(guidance);
  }

  public long id() {
    return ticket.id();
  }

  public ClaimedTicket asSuspect() {
    return new ClaimedTicket(ticket, lease, design, attempt, retryCount, guidance, results, true);
  }

  /** Whether this execution is a retry (A65). After the death of its worker none is used up. */
  public boolean isRetry() {
    return retryCount > 0 || suspect;
  }
}
