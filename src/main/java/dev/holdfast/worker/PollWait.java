package dev.holdfast.worker;

import dev.holdfast.queue.Claim;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;

/**
 * Decides how long a poller waits: the interval with jitter, so that workers do not poll in step;
 * longer after several empty polls if notifications are proven to arrive; never past the time the
 * next deferred ticket is due. Not thread-safe: each poller has its own.
 */
final class PollWait {
  private static final int LONGEST_FACTOR = 4;
  private static final double JITTER = 0.1;

  private final Duration interval;
  private final BooleanSupplier notificationsProven;
  private final DoubleSupplier random;
  private int emptyPolls;

  PollWait(Duration interval, BooleanSupplier notificationsProven, DoubleSupplier random) {
    this.interval = interval;
    this.notificationsProven = notificationsProven;
    this.random = random;
  }

  Duration after(Claim claim) {
    emptyPolls = claim.tickets().isEmpty() ? emptyPolls + 1 : 0;
    int factor = notificationsProven.getAsBoolean() ? Math.clamp(emptyPolls, 1, LONGEST_FACTOR) : 1;
    Duration wait = jittered(interval.multipliedBy(factor));
    // A wait that ends a little after the due time finds the ticket; one that ends before it polls
    // twice.
    return claim
        .nextDue()
        .map(due -> due.plusMillis(1))
        .filter(due -> due.compareTo(wait) < 0)
        .orElse(wait);
  }

  Duration unhealthy() {
    return jittered(interval);
  }

  private Duration jittered(Duration wait) {
    return wait.plusNanos((long) (wait.toNanos() * JITTER * random.getAsDouble()));
  }
}
