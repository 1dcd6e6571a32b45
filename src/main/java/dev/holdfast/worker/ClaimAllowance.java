package dev.holdfast.worker;

import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest.Room;
import dev.holdfast.ticket.ClaimedTicket;
import java.util.Optional;

/**
 * Limits claims beside the free slots: so many bytes of large payloads and given results under way
 * at a time, and one ticket of which a worker died, so that nobody else is blamed if it kills this
 * one too. Thread-safe.
 */
final class ClaimAllowance {
  private final Room whole;
  private long largeBytes;
  private boolean suspectTaken;
  private long suspectId;

  ClaimAllowance(Room whole) {
    this.whole = whole;
  }

  /** Takes the room for one claim. {@link #claimed} or {@link #failed} must follow. */
  synchronized Room take() {
    int suspects = suspectTaken ? 0 : whole.suspects();
    suspectTaken |= suspects > 0;
    return new Room(whole.bytes() - largeBytes, whole.ticketBytes(), suspects);
  }

  /** Gives the room back because the claim brought nothing. */
  synchronized void failed(Room taken) {
    if (taken.suspects() > 0) {
      suspectTaken = false;
    }
  }

  synchronized void claimed(Room taken, Claim claim) {
    Optional<ClaimedTicket> suspect = claim.suspect();
    if (suspect.isPresent()) {
      suspectId = suspect.get().id();
    } else {
      failed(taken);
    }
    claim.tickets().forEach(each -> largeBytes += counted(each));
  }

  /** Frees the room of a ticket whose run is over, or that was given back at once. */
  synchronized void ended(ClaimedTicket ticket) {
    largeBytes -= counted(ticket);
    if (suspectTaken && suspectId == ticket.id()) {
      suspectTaken = false;
      suspectId = 0;
    }
  }

  private static long counted(ClaimedTicket ticket) {
    String results = ticket.results();
    long length = ticket.ticket().payload().length();
    length += results == null ? 0 : results.length();
    return length > Room.SMALL_BYTES ? length : 0;
  }
}
