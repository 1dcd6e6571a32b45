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
 *     names; null if there are none
 * @param isRetry whether it follows an execution that failed, or whose worker died, without an
 *     action of a person between them (A65)
 */
public record ClaimedTicket(
    Ticket ticket,
    Lease lease,
    Optional<Design> design,
    int attempt,
    int retryCount,
    List<Guidance> guidance,
    @Nullable String results,
    boolean isRetry) {
  /** Makes one for a ticket that is given no results of others. */
  public ClaimedTicket(
      Ticket ticket,
      Lease lease,
      Optional<Design> design,
      int attempt,
      int retryCount,
      List<Guidance> guidance) {
    this(ticket, lease, design, attempt, retryCount, guidance, null, false);
  }

  /** Makes one for an execution that is no retry. */
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
}
