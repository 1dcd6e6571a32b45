package dev.holdfast.worker;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.TicketClaims;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims for free slots, for ever (A38, A47). Polling is the truth; a wake-up only shortens the
 * wait. An error ends a poll, not the loop (A46).
 */
final class Poller implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Poller.class);
  private static final Duration LONGEST_ERROR_PAUSE = Duration.ofSeconds(5);

  private final TicketClaims queue;
  private final Slots slots;
  private final ClaimRound round;
  private final WakeUpSwitch wakeUps;
  private final PollWait wait;
  private boolean busy;

  /** The number of polls that failed in a row. */
  private int errors;

  private volatile boolean failing;

  Poller(TicketClaims queue, Slots slots, ClaimRound round, WakeUpSwitch wakeUps, PollWait wait) {
    this.queue = queue;
    this.slots = slots;
    this.round = round;
    this.wakeUps = wakeUps;
    this.wait = wait;
  }

  void stop() {
    round.stop();
  }

  boolean isFailing() {
    return failing;
  }

  @Override
  public void run() {
    while (!round.isStopping()) {
      boolean good = false;
      try {
        good = pollAndWait();
      } catch (Throwable untold) {
        // Even the log failed: there is no memory, or a class cannot be loaded. The loop goes on.
      }
      if (!good) {
        setErrors(errors + 1);
        rest();
      }
    }
  }

  /** Counts failed polls. One failure alone may be a deadlock, and the next poll succeeds. */
  private void setErrors(int number) {
    errors = number;
    failing = number > 1;
  }

  private boolean pollAndWait() {
    long seen = wakeUps.signal().count();
    try {
      Duration pause = poll();
      setErrors(0);
      wakeUps.signal().await(seen, pause);
    } catch (DatabaseUnavailableException e) {
      log.warn("polling failed: {}", e.getMessage());
      return false;
    } catch (InterruptedException e) {
      log.debug("the poller was interrupted");
    } catch (Throwable e) {
      log.error("polling failed", e);
      return false;
    }
    return true;
  }

  /** Polls once; returns how long to wait if nothing wakes it before. */
  private Duration poll() throws InterruptedException {
    // An idle poller leaves a slot to a notification that comes while it looks.
    int free = slots.acquire(round.limit(), busy ? 0 : 1);
    return round
        .claim(queue, free)
        .map(this::pauseAfter)
        .orElseGet(() -> round.isStopping() ? Duration.ZERO : wait.unhealthy());
  }

  private Duration pauseAfter(ClaimRound.Result result) {
    busy = result.full();
    boolean lookAgain = wakeUps.claimed(result.full()) || result.full() || result.behindOnly();
    return lookAgain ? Duration.ZERO : wait.after(result.claim());
  }

  private void rest() {
    long millis = Math.min(LONGEST_ERROR_PAUSE.toMillis(), 100L << Math.min(errors, 10));
    try {
      long seen = wakeUps.signal().count();
      if (!round.isStopping()) {
        wakeUps.signal().await(seen, Duration.ofMillis(millis));
      }
    } catch (InterruptedException e) {
      log.debug("the poller was interrupted");
    }
  }
}
