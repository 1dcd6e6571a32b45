package dev.holdfast.chaos;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What happens to the server. */
final class ServerCells {
  private static final Duration HALF_A_SECOND = Duration.ofMillis(500);
  private static final Duration MOMENT = Duration.ofMillis(20);

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

  /** Somebody else's idle connections take all that there are, those of the workers too. */
  static void exhaust(Chaos chaos) throws Exception {
    List<Connection> idle = new ArrayList<>();
    try (Connection way = chaos.site.dataSource().getConnection()) {
      chaos.faults.during(
          "no connection free",
          () -> {
            for (Instant end = chaos.end(); Instant.now().isBefore(end); ) {
              try (var statement = way.createStatement()) {
                statement.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name"
                        + " LIKE 'holdfast%'");
              }
              takeAll(chaos, idle);
              chaos.pass(MOMENT);
            }
          });
    } finally {
      for (Connection each : idle) {
        each.close();
      }
    }
  }

  private static void takeAll(Chaos chaos, List<Connection> idle) {
    try {
      while (idle.size() < Site.MAX_CONNECTIONS) {
        idle.add(chaos.site.dataSource().getConnection());
      }
    } catch (SQLException e) {
      // There is none left, as it should be.
    }
  }
}
