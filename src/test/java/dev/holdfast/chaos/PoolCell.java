package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.e2e.HoldfastProcess;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Somebody else's idle connections take all that the server has, those of the workers too. What
 * runs goes on, and what it says waits.
 */
final class PoolCell implements Cell {
  private static final Duration LEASE = Duration.ofSeconds(25);

  /** Whoever has a result keeps the lease for longer than there is no connection. */
  @Override
  public void prepare(Chaos chaos) {
    chaos.holdfast.with(
        "HOLDFAST_WORKER_LEASE", chaos.options.length().plus(LEASE).toSeconds() + "s");
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    List<Connection> idle = new ArrayList<>();
    try (Connection way = chaos.site.dataSource().getConnection()) {
      chaos.faults.during(
          "no connection free",
          () -> {
            signal(chaos, "STOP");
            try (var statement = way.createStatement()) {
              statement.execute(
                  "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE"
                      + " application_name LIKE 'holdfast%'");
            }
            takeAll(chaos, idle);
            signal(chaos, "CONT");
            chaos.pass(chaos.options.length());
          });
    } finally {
      for (Connection each : idle) {
        each.close();
      }
    }
  }

  /** So that they do not come first when connections become free. */
  private static void signal(Chaos chaos, String name) throws Exception {
    for (HoldfastProcess each : chaos.crew.workers()) {
      each.signal(name);
    }
  }

  private static void takeAll(Chaos chaos, List<Connection> idle) {
    try {
      while (idle.size() < Site.MAX_CONNECTIONS) {
        // Unwrapped, it is not kept for others when it is closed.
        idle.add(chaos.site.dataSource().getConnection().unwrap(Connection.class));
      }
    } catch (SQLException e) {
      // There is none left, as it should be.
    }
  }

  @Override
  public void check(Chaos chaos) {
    assertThat(chaos.reasons()).as("why tickets ran again").isEmpty();
  }
}
