package dev.holdfast.worker;

import dev.holdfast.queue.Heartbeat;
import dev.holdfast.queue.TicketQueue;
import dev.holdfast.ticket.HoldfastException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the worker's leases, learns of revoked tickets, and stops attempts before a lease that
 * cannot be renewed may end, by this machine's own monotonic clock (design rule 5). {@link #beat}
 * and {@link #guard} belong to two threads: the guard must not wait for a database that hangs.
 */
final class Heartbeater {
  private static final Logger log = LoggerFactory.getLogger(Heartbeater.class);

  /**
   * The time to the next sign of life at most: a worker that is silent for a minute counts as lost,
   * whatever its leases ({@code LiveWorkers}).
   */
  private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(20);

  private final TicketQueue queue;
  private final WorkerLeases book;
  private final String workerId;
  private final Duration lease;
  private final Duration interval;
  private final Duration retryPause;
  private final Runnable onRecovery;
  private final Runnable onUnknown;
  private volatile boolean failing;
  private volatile boolean stopping;
  private volatile long lastGoodNanos = System.nanoTime();

  /**
   * @param onRecovery runs when a heartbeat succeeds after one that did not
   * @param onUnknown runs when the database does not know this worker any more
   */
  Heartbeater(
      TicketQueue queue,
      WorkerLeases book,
      String workerId,
      WorkerSettings settings,
      Runnable onRecovery,
      Runnable onUnknown) {
    this.queue = queue;
    this.book = book;
    this.workerId = workerId;
    this.lease = settings.lease();
    this.interval = min(settings.heartbeatInterval(), SIGN_OF_LIFE);
    this.retryPause = min(interval, lease.dividedBy(10));
    this.onRecovery = onRecovery;
    this.onUnknown = onUnknown;
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /**
   * Returns false from a failed heartbeat, or one that hangs, to the next good one. Nothing is
   * claimed meanwhile.
   */
  boolean healthy() {
    // The interval is less than half the lease: such a heartbeat is not merely late.
    long patience = lease.multipliedBy(3).dividedBy(5).toNanos();
    return !failing && System.nanoTime() - lastGoodNanos < patience;
  }

  /** Returns the time after which a lease that was not renewed is about to end. */
  private long safeNanos() {
    return lease.multipliedBy(4).dividedBy(5).toNanos();
  }

  /** Sends one heartbeat; returns the wait before the next. */
  Duration beat() {
    long sentNanos = System.nanoTime();
    Set<Long> asked = book.leaseNos();
    boolean good = false;
    try {
      Heartbeat heartbeat = queue.heartbeat(workerId, asked, lease);
      boolean recovered = !healthy();
      lastGoodNanos = sentNanos;
      failing = false;
      if (recovered) {
        onRecovery.run();
      }
      stop(
          book.heard(asked, heartbeat, sentNanos),
          TicketRun.StopCause.LEASE_LOST,
          "its lease is lost");
      stop(
          book.runs(heartbeat.revoked()),
          TicketRun.StopCause.REVOKED,
          "a person cancelled or held it");
      if (!heartbeat.registered()) {
        onUnknown.run();
      }
      good = true;
      return interval;
    } catch (HoldfastException e) {
      if (stopping) {
        log.debug("the last heartbeat failed: {}", e.getMessage());
      } else {
        log.warn("heartbeat failed: {}; no claims until one succeeds", e.getMessage());
      }
      return retryPause;
    } finally {
      if (!good) {
        failing = true;
      }
    }
  }

  /** Ends renewals and claims; a heartbeat under way may lose its connection. */
  void stop() {
    stopping = true;
  }

  /** Stops attempts whose lease is about to end; returns the wait before the next look. */
  Duration guard() {
    stop(
        book.notRenewedSince(System.nanoTime() - safeNanos()),
        TicketRun.StopCause.LEASE_LOST,
        "its lease could not be renewed and is about to end");
    return lease.dividedBy(20);
  }

  private static void stop(List<TicketRun> runs, TicketRun.StopCause cause, String why) {
    for (TicketRun run : runs) {
      if (run.stop(cause)) {
        log.info("stopping ticket {} (lease {}): {}", run.ticketId(), run.leaseNo(), why);
      }
    }
  }
}
