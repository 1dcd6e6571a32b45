package dev.holdfast.chaos;

import java.time.Duration;
import java.time.Instant;

/** What happens to the server. */
final class ServerCells {
  private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

  private ServerCells() {}

  /** Killed without a checkpoint, gone for half of the time, back with a recovery. */
  static void restart(Chaos chaos) throws Exception {
    chaos.faults.during(
        "server down",
        () -> {
          chaos.site.kill();
          chaos.pass(chaos.options.length().dividedBy(2));
          chaos.site.restart();
        });
    chaos.pass(chaos.options.length().dividedBy(2));
  }

  /** Two of the workers' backends a second. */
  static void killBackends(Chaos chaos) throws Exception {
    chaos.faults.during(
        "backends killed",
        () -> {
          for (Instant end = chaos.end(); Instant.now().isBefore(end); ) {
            killBackend(chaos);
            chaos.pass(HALF_A_SECOND);
          }
        });
  }

  private static void killBackend(Chaos chaos) {
    chaos.database.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE"
            + " 'holdfast%' ORDER BY md5(pid || ?) LIMIT 1",
        Integer.toString(chaos.random.nextInt()));
  }
}
