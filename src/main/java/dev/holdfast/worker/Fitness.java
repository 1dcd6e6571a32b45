package dev.holdfast.worker;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows whether this machine can do any work, and how much. A ticket that finds no room leaves its
 * slot closed, so that only as many run as there is room for. While there is room for none, the
 * worker claims only now and then, at growing distances, to see whether there is some again:
 * otherwise it would take the tickets of a whole queue from the workers beside it, and give each of
 * them back. While nothing happens, the closed slots are opened again, twice as many each time.
 * Thread-safe.
 */
final class Fitness implements Consumer<WorkerUnfitException> {
  private static final Logger log = LoggerFactory.getLogger(Fitness.class);
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final Slots slots;
  private final LongSupplier nanoTime;

  /** The present wait: twice as long with each trouble, zero while all is well. */
  private Duration wait = Duration.ZERO;

  private long untilNanos;

  /** The time at which the last pause ended, or slots were opened after it. */
  private long quietSinceNanos;

  private boolean openedSinceTrouble;

  /** Whether a ticket was worked since the last trouble, so that there is room for some. */
  private volatile boolean worked;

  private String reason = "";

  Fitness(Slots slots, LongSupplier nanoTime) {
    this.slots = slots;
    this.nanoTime = nanoTime;
    this.untilNanos = nanoTime.getAsLong();
    this.quietSinceNanos = untilNanos;
  }

  /**
   * Notes a trouble. Many tickets of one claim may report the same one, but each leaves its slot
   * closed.
   */
  @Override
  public synchronized void accept(WorkerUnfitException trouble) {
    slots.closeOne();
    long now = nanoTime.getAsLong();
    if (now - untilNanos < 0) {
      return;
    }
    wait = bounded(wait.multipliedBy(2));
    openedSinceTrouble = false;
    Duration pause = worked ? SHORTEST : wait;
    worked = false;
    untilNanos = now + pause.toNanos();
    quietSinceNanos = untilNanos;
    reason = String.valueOf(trouble.getMessage());
    log.warn(
        "this worker claims nothing for {} s, and gives back what it has: {}",
        pause.toSeconds(),
        reason);
  }

  /**
   * Notes that a ticket with room has ended. Each one calls this, so that mostly nothing is
   * written.
   */
  void worked() {
    if (!worked) {
      worked = true;
    }
  }

  /** Opens closed slots if there was no trouble for a while. To be called every few seconds. */
  synchronized void openAfterQuiet() {
    long now = nanoTime.getAsLong();
    if (wait.isZero() || now - quietSinceNanos < wait.toNanos()) {
      return;
    }
    int open = slots.openMore();
    if (open == 0) {
      wait = Duration.ZERO;
      return;
    }
    log.info("this worker works up to {} tickets at once again", open);
    if (openedSinceTrouble) {
      wait = bounded(wait.dividedBy(2));
    }
    openedSinceTrouble = true;
    quietSinceNanos = now;
  }

  private static Duration bounded(Duration wait) {
    Duration longer = wait.compareTo(SHORTEST) < 0 ? SHORTEST : wait;
    return longer.compareTo(LONGEST) > 0 ? LONGEST : longer;
  }

  synchronized boolean mayClaim() {
    return nanoTime.getAsLong() - untilNanos >= 0;
  }

  /** Returns why the worker claims nothing now. */
  synchronized Optional<String> trouble() {
    return mayClaim() ? Optional.empty() : Optional.of(reason);
  }
}
