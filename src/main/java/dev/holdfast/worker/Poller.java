package dev.holdfast.worker;

import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.QueueUnavailableException;
import dev.holdfast.queue.TicketQueue;
import dev.holdfast.ticket.ClaimedTicket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims for free slots, for ever (A38, A47). Polling is the truth; a wake-up only shortens the
 * wait. An error ends a poll, not the loop (A46).
 */
final class Poller implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Poller.class);
  private static final Duration LONGEST_ERROR_PAUSE = Duration.ofSeconds(5);

  /** Takes what was claimed. */
  interface Starter {
    void start(List<ClaimedTicket> tickets, long claimedNanos);
  }

  private final TicketQueue queue;
  private final Slots slots;
  private final Starter starter;
  private final BooleanSupplier mayClaim;
  private final WakeUpSwitch wakeUps;
  private final ClaimRequest request;
  private final PollWait wait;
  private final ClaimCursor cursor = new ClaimCursor();
  private volatile boolean stopping;

  Poller(
      TicketQueue queue,
      Slots slots,
      Starter starter,
      BooleanSupplier mayClaim,
      WakeUpSwitch wakeUps,
      ClaimRequest request,
      PollWait wait) {
    this.queue = queue;
    this.slots = slots;
    this.starter = starter;
    this.mayClaim = mayClaim;
    this.wakeUps = wakeUps;
    this.request = request;
    this.wait = wait;
  }

  static ClaimRequest request(String workerId, Set<String> kinds, WorkerSettings settings) {
    int batch = Math.min(settings.claimBatch(), settings.concurrency());
    return new ClaimRequest(workerId, kinds, settings.queues(), batch, settings.lease());
  }

  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    int errors = 0;
    while (!stopping) {
      long seen = wakeUps.signal().count();
      try {
        Duration pause = poll();
        errors = 0;
        wakeUps.signal().await(seen, pause);
      } catch (QueueUnavailableException e) {
        errors++;
        log.warn("polling failed: {}", e.getMessage());
        rest(errors);
      } catch (InterruptedException e) {
        log.debug("the poller was interrupted");
      } catch (Throwable e) {
        errors++;
        log.error("polling failed", e);
        rest(errors);
      }
    }
  }

  /** One poll; returns how long to wait if nothing wakes it before. */
  private Duration poll() throws InterruptedException {
    int free = slots.acquire(request.limit());
    int used = 0;
    try {
      if (stopping) {
        return Duration.ZERO;
      }
      if (!mayClaim.getAsBoolean()) {
        return wait.unhealthy();
      }
      long claimedNanos = System.nanoTime();
      ClaimRequest asked = request.narrowedTo(free, cursor.after(claimedNanos));
      Claim claim = queue.claim(asked);
      boolean full = claim.tickets().size() == free;
      cursor.claimed(claim.tickets(), full, claimedNanos, System.nanoTime());
      if (stopping) {
        giveBack(claim.tickets());
        return Duration.ZERO;
      }
      if (!claim.tickets().isEmpty()) {
        used = claim.tickets().size();
        starter.start(claim.tickets(), claimedNanos);
      }
      return pauseAfter(claim, full, asked);
    } finally {
      slots.release(free - used);
    }
  }

  /** The claim took so long that the worker has stopped meanwhile and would not run them. */
  private void giveBack(List<ClaimedTicket> tickets) {
    List<Finish> finishes = new ArrayList<>();
    Set<Long> leases = new HashSet<>();
    for (ClaimedTicket ticket : tickets) {
      finishes.add(new Finish.GivenBack(ticket.id(), ticket.lease().no()));
      leases.add(ticket.lease().no());
    }
    queue.finish(finishes, leases);
  }

  private Duration pauseAfter(Claim claim, boolean full, ClaimRequest asked) {
    boolean lookAgain =
        wakeUps.claimed(full) || full || claim.moreAtOnce() || !asked.after().isEmpty();
    return lookAgain ? Duration.ZERO : wait.after(claim);
  }

  private void rest(int errors) {
    long millis = Math.min(LONGEST_ERROR_PAUSE.toMillis(), 100L << Math.min(errors, 10));
    try {
      long seen = wakeUps.signal().count();
      if (!stopping) {
        wakeUps.signal().await(seen, Duration.ofMillis(millis));
      }
    } catch (InterruptedException e) {
      log.debug("the poller was interrupted");
    }
  }
}
