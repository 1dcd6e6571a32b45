package dev.holdfast.chaos;

import dev.holdfast.e2e.HoldfastProcess;
import java.time.Duration;
import java.time.Instant;

/** What happens to worker processes. */
final class WorkerCells {
  private static final Duration BETWEEN = Duration.ofMillis(2500);

  /** The lease of the run's workers is five seconds, so another has its tickets meanwhile. */
  private static final Duration FROZEN = Duration.ofSeconds(8);

  private WorkerCells() {}

  /** One after the other dies, and is replaced a second later. */
  static void kill(Chaos chaos) throws Exception {
    for (Instant end = chaos.end(); Instant.now().isBefore(end); ) {
      chaos.crew.kill(chaos.crew.busiest(chaos.database));
      chaos.pass(Duration.ofSeconds(1));
      chaos.crew.start(1);
      if (Instant.now().isBefore(end)) {
        chaos.pass(chaos.about(BETWEEN));
      }
    }
  }

  /** One of two dies, and nobody takes its place for half of the time. */
  static void crash(Chaos chaos) throws Exception {
    Duration half = chaos.options.length().dividedBy(2);
    chaos.crew.kill(chaos.crew.busiest(chaos.database));
    chaos.pass(half);
    chaos.crew.start(1);
    chaos.pass(half);
  }

  /** One is stopped for longer than its lease, then goes on as if nothing had been. */
  static void freeze(Chaos chaos) throws Exception {
    for (Instant end = chaos.end(); Instant.now().isBefore(end); ) {
      HoldfastProcess worker = chaos.crew.busiest(chaos.database);
      chaos.faults.during(
          "SIGSTOP",
          worker.workerId(),
          () -> {
            worker.signal("STOP");
            chaos.pass(FROZEN);
            worker.signal("CONT");
          });
      chaos.pass(chaos.about(BETWEEN));
    }
  }
}
