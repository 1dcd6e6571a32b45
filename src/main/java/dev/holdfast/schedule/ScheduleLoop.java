package dev.holdfast.schedule;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.retry.Sleeper;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes tickets when they are due, until it is closed. Every worker's process has one; the database
 * accepts each time once.
 */
public final class ScheduleLoop implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ScheduleLoop.class);

  /** The longest wait: a schedule that was put meanwhile waits no longer. */
  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final ScheduleTicks ticks;
  private final Sleeper sleeper;
  private final Thread thread;

  private ScheduleLoop(ScheduleTicks ticks, Sleeper sleeper) {
    this.ticks = ticks;
    this.sleeper = sleeper;
    this.thread = Thread.ofVirtual().name("schedules").unstarted(this::run);
  }

  /** Starts a loop, which begins at once. */
  public static ScheduleLoop start(ScheduleTicks ticks, Sleeper sleeper) {
    ScheduleLoop loop = new ScheduleLoop(ticks, sleeper);
    loop.thread.start();
    return loop;
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        sleeper.sleep(round());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Duration round() {
    try {
      return ticks.tick(LONGEST);
    } catch (DatabaseUnavailableException | TicketBusyException e) {
      log.debug("no schedule is looked at: {}", e.getMessage());
      return LONGEST;
    } catch (RuntimeException e) {
      // The loop must go on: nobody would start it again.
      log.warn("the schedules are looked at again in {} s", LONGEST.toSeconds(), e);
      return LONGEST;
    }
  }

  /** Ends the loop; a ticket that is being made is made completely or not at all. */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(Duration.ofSeconds(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
