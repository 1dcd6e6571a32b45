package dev.holdfast.worker;

import dev.holdfast.queue.DatabaseUnavailableException;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A background duty: does one round, waits, for ever; an error ends the round, not the loop (A46).
 */
final class ServiceLoop {
  private static final Logger log = LoggerFactory.getLogger(ServiceLoop.class);

  private final String name;
  private final Supplier<Duration> round;
  private final Duration afterError;
  private final Signal wakeUp = new Signal();
  private final Thread thread;
  private volatile boolean stopping;

  /**
   * @param round does the work once and says how long to wait before the next
   */
  ServiceLoop(String name, Duration afterError, Supplier<Duration> round) {
    this.name = name;
    this.round = round;
    this.afterError = afterError;
    this.thread = Thread.ofPlatform().name("holdfast-" + name).daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Begins the next round now. */
  void wakeUp() {
    wakeUp.give();
  }

  void stop() {
    stopping = true;
    wakeUp.give();
  }

  /** Waits at the end for a round under way, for at least a millisecond. */
  void join(Duration longest) throws InterruptedException {
    thread.join(Math.max(1, longest.toMillis()));
  }

  private void run() {
    while (!stopping) {
      long seen = wakeUp.count();
      Duration pause = afterError;
      try {
        pause = oneRound();
      } catch (Throwable untold) {
        // Even the log failed: there is no memory, or a class cannot be loaded. The loop goes on.
      }
      try {
        wakeUp.await(seen, pause);
      } catch (InterruptedException e) {
        log.debug("{} was interrupted", name);
      }
    }
  }

  private Duration oneRound() {
    try {
      return round.get();
    } catch (DatabaseUnavailableException e) {
      log.warn("{}: {}; trying again in {} ms", name, e.getMessage(), afterError.toMillis());
      return afterError;
    } catch (Throwable e) {
      log.error("{} failed; trying again in {} ms", name, afterError.toMillis(), e);
      return afterError;
    }
  }
}
