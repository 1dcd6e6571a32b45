package dev.holdfast.worker;

import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.ClaimRequest.Room;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.TicketClaims;
import dev.holdfast.queue.TicketQueue;
import dev.holdfast.ticket.ClaimedTicket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Makes one claim after the other, and starts what each brings. Used by one thread, as each has a
 * cursor of its own; any thread may call {@link #stop}.
 */
final class ClaimRound {
  /** Takes the tickets that were claimed. */
  interface Starter {
    void start(List<ClaimedTicket> tickets, long claimedNanos);

    /** Stores why these tickets cannot be run. */
    void hold(List<Finish.Failed> unreadable);
  }

  /**
   * The result of a claim.
   *
   * @param full whether it brought as many tickets as there were slots, so there may be more
   * @param behindOnly whether only the tickets after the cursor were looked at
   */
  record Result(Claim claim, boolean full, boolean behindOnly) {}

  private final TicketQueue queue;
  private final Slots slots;
  private final Starter starter;
  private final BooleanSupplier mayClaim;
  private final ClaimAllowance allowance;
  private final ClaimRequest request;
  private final ClaimCursor cursor = new ClaimCursor();
  private volatile boolean stopping;

  /**
   * @param queue takes back the tickets that came too late to be run
   * @param request asks for as many tickets as one claim may bring
   */
  ClaimRound(
      TicketQueue queue,
      Slots slots,
      Starter starter,
      BooleanSupplier mayClaim,
      ClaimAllowance allowance,
      ClaimRequest request) {
    this.queue = queue;
    this.slots = slots;
    this.starter = starter;
    this.mayClaim = mayClaim;
    this.allowance = allowance;
    this.request = request;
  }

  int limit() {
    return request.limit();
  }

  /** Ends the claims: nothing more is claimed, and what is being claimed just now is given back. */
  void stop() {
    stopping = true;
  }

  boolean isStopping() {
    return stopping;
  }

  /**
   * Claims for slots that were acquired for it, and releases those that it does not need.
   *
   * @return nothing if the worker may not claim now
   */
  Optional<Result> claim(TicketClaims from, int free) {
    int used = 0;
    try {
      if (stopping || !mayClaim.getAsBoolean()) {
        return Optional.empty();
      }
      long claimedNanos = System.nanoTime();
      ClaimRequest asked = request.narrowedTo(free, cursor.after(claimedNanos));
      Claim claim = claim(from, asked);
      List<ClaimedTicket> tickets = claim.tickets();
      boolean full = claim.size() == free;
      cursor.claimed(tickets, full, claimedNanos, System.nanoTime());
      if (stopping) {
        giveBack(tickets);
        return Optional.empty();
      }
      if (!tickets.isEmpty()) {
        used = tickets.size();
        starter.start(tickets, claimedNanos);
      }
      if (!claim.unreadable().isEmpty()) {
        starter.hold(claim.unreadable());
      }
      return Optional.of(new Result(claim, full, !asked.after().isEmpty()));
    } finally {
      slots.release(free - used);
    }
  }

  private Claim claim(TicketClaims from, ClaimRequest asked) {
    Room room = allowance.take();
    Claim claim = null;
    try {
      claim = from.claim(asked.within(room));
      return claim;
    } finally {
      if (claim == null) {
        allowance.failed(room);
      } else {
        allowance.claimed(room, claim);
      }
    }
  }

  /** Gives tickets back whose claim took so long that the worker has stopped meanwhile. */
  private void giveBack(List<ClaimedTicket> tickets) {
    List<Finish> finishes = new ArrayList<>();
    Set<Long> leases = new HashSet<>();
    for (ClaimedTicket ticket : tickets) {
      allowance.ended(ticket);
      finishes.add(new Finish.GivenBack(ticket.id(), ticket.lease().no()));
      leases.add(ticket.lease().no());
    }
    queue.finish(finishes, leases);
  }
}
