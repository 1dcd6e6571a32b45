package dev.holdfast.worker;

import dev.holdfast.queue.TicketClaims;
import dev.holdfast.ticket.HoldfastException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims the ticket of a notification at once, on the connection that heard it: no other thread has
 * to wake, and no backend of the database that slept (docs/adr/0004-notify-and-poll.md). A poller
 * does whatever this leaves undone. Used by the listening thread; any thread may call {@link #stop}
 * and {@link #join}.
 */
record NotifiedClaim(Slots slots, ClaimRound round, Signal pollers, ReentrantLock underWay) {
  private static final Logger log = LoggerFactory.getLogger(NotifiedClaim.class);

  NotifiedClaim(Slots slots, ClaimRound round, Signal pollers) {
    this(slots, round, pollers, new ReentrantLock());
  }

  void stop() {
    round.stop();
  }

  /** Waits for a claim that began before {@link #stop}, and for what it starts or gives back. */
  void join(long nanos) throws InterruptedException {
    if (underWay.tryLock(nanos, TimeUnit.NANOSECONDS)) {
      underWay.unlock();
    }
  }

  void run(TicketClaims here) {
    underWay.lock();
    try {
      claim(here);
    } finally {
      underWay.unlock();
    }
  }

  private void claim(TicketClaims here) {
    int free = slots.tryAcquire(round.limit());
    if (free == 0) {
      // A poller may hold the slots for a claim that came too early to see the ticket.
      pollers.give();
      return;
    }
    try {
      round.claim(here, free).ifPresentOrElse(this::passOn, pollers::give);
    } catch (HoldfastException e) {
      log.debug("a claim at a notification failed, a poller tries again: {}", e.getMessage());
      pollers.give();
    }
  }

  private void passOn(ClaimRound.Result result) {
    if (result.full() || result.behindOnly()) {
      pollers.give();
    }
    result.claim().nextDue().ifPresent(pollers::giveIn);
  }
}
