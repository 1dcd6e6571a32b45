package dev.holdfast.worker;

import dev.holdfast.retry.Backoff;
import dev.holdfast.retry.BackoffType;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this machine can do any work. While it cannot, the worker claims only now and then, at
 * growing distances, to see whether it can again: else it would take the tickets of a whole queue
 * from the workers beside it, and give each of them back. Thread-safe.
 */
final class Fitness implements Consumer<WorkerUnfitException> {
  private static final Logger log = LoggerFactory.getLogger(Fitness.class);
  private static final Backoff PAUSES = new Backoff(BackoffType.EXPONENTIAL, Duration.ofSeconds(1));
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private int pauses;
  private long untilNanos = System.nanoTime();
  private String reason = "";

  /** Many tickets that were claimed together tell one trouble. */
  @Override
  public synchronized void accept(WorkerUnfitException trouble) {
    long now = System.nanoTime();
    if (now - untilNanos < 0) {
      return;
    }
    boolean old = now - untilNanos > LONGEST.toNanos();
    pauses = old ? 1 : pauses + 1;
    Duration pause = PAUSES.delay(pauses, LONGEST);
    untilNanos = now + pause.toNanos();
    reason = String.valueOf(trouble.getMessage());
    log.warn(
        "this worker claims nothing for {} s, and gives back what it has: {}",
        pause.toSeconds(),
        reason);
  }

  synchronized boolean mayClaim() {
    return System.nanoTime() - untilNanos >= 0;
  }

  /** Why it claims nothing now. */
  synchronized Optional<String> trouble() {
    return mayClaim() ? Optional.empty() : Optional.of(reason);
  }
}
