package dev.holdfast.worker;

import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Ticket;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Knows where a poller's next claim may start. Every full claim walks over what was claimed and not
 * yet cleaned up: a little always, and all of it while somebody holds an old snapshot. A claim that
 * starts after the last one does not. But tickets that were requeued or are more urgent stand
 * before that place, so a full claim comes at least every {@link #SHARE} times as long as the last
 * full one took: that costs a twentieth of the time, and it is how long an urgent ticket waits at
 * most. Not thread-safe: each poller has its own.
 */
final class ClaimCursor {
  private static final int SHARE = 20;

  private record Lane(String queue, String kind) {
    boolean has(Ticket ticket) {
      return kind.equals(ticket.kind()) && queue.equals(ticket.queue());
    }
  }

  private record Place(int rank, Instant createdAt, long id) implements Comparable<Place> {
    private static final Comparator<Place> CLAIM_ORDER =
        Comparator.comparing(Place::rank).thenComparing(Place::createdAt).thenComparing(Place::id);

    static Place of(Ticket ticket) {
      return new Place(~ticket.priority(), ticket.createdAt(), ticket.id());
    }

    @Override
    public int compareTo(Place other) {
      return CLAIM_ORDER.compare(this, other);
    }
  }

  private final Map<Lane, Place> last = new HashMap<>();
  private long fullAgainNanos;
  private boolean full = true;
  private boolean first = true;

  /**
   * Returns the tickets after which the claim that starts now may begin; empty for a full claim.
   */
  List<Long> after(long nowNanos) {
    full = full || nowNanos - fullAgainNanos >= 0;
    return full ? List.of() : last.values().stream().map(Place::id).toList();
  }

  /**
   * Notes what the claim brought.
   *
   * @param wasFull whether it brought as many tickets as it was asked for
   */
  void claimed(List<ClaimedTicket> tickets, boolean wasFull, long startedNanos, long endedNanos) {
    boolean advanced = false;
    Lane lane = null;
    // We begin with the last ticket: those before it in its lane need no look, and mostly all
    // tickets are of one lane.
    for (ClaimedTicket each : tickets.reversed()) {
      Ticket ticket = each.ticket();
      if (lane == null || !lane.has(ticket)) {
        lane = new Lane(ticket.queue(), ticket.kind());
        Place place = Place.of(ticket);
        Place before = last.get(lane);
        if (before == null || before.compareTo(place) < 0) {
          last.put(lane, place);
          advanced = true;
        }
      }
    }
    if (full) {
      fullAgainNanos = endedNanos + SHARE * (endedNanos - startedNanos);
    }
    // Only a full claim can show what is left before the cursor, or that nothing is left after it.
    // The first claim does not show how long full claims take: it connects, and the server plans.
    full = !wasFull || !advanced || first;
    first = false;
  }
}
