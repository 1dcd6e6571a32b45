package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.Settings;
import dev.holdfast.failure.Category;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long the tickets of a killed worker wait where nothing is configured. */
@Order(1) // it waits for a minute
@WithDatabase
class DefaultLeaseIT {
  private static final Duration PROMISE = Duration.ofSeconds(90);

  @Test
  @DisplayName("by the defaults a killed worker's ticket runs again within 90 s")
  void computed() {
    Settings settings = Settings.defaults();
    Duration backoff = settings.retry().of(Category.SYSTEM_ERROR).backoff().base();
    Duration withJitter =
        backoff.plusMillis((long) (backoff.toMillis() * settings.retry().jitter()));
    // An idle worker may poll only every fourth time, plus a tenth, but never sleeps past a due
    // time.
    Duration longest =
        settings
            .worker()
            .lease()
            .plus(settings.worker().rescueInterval())
            .plus(withJitter)
            .plus(settings.worker().pollInterval().multipliedBy(5));
    assertThat(longest).isLessThan(PROMISE);
  }

  @Test
  @Tag("slow")
  @DisplayName("with the defaults a killed worker's ticket is finished by another within 90 s")
  void measured(TestDatabase database, @TempDir Path directory) throws Exception {
    TicketRows rows = new TicketRows(database.dataSource());
    Job job = Job.waiting(directory);
    rows.addDesign("wait", job);
    long id = rows.enqueue("wait", "default");
    try (Installation holdfast =
        Installation.on(database, directory).with("HOLDFAST_WORKER_POLL_INTERVAL", "")) {
      HoldfastProcess first = holdfast.worker();
      job.awaitStart(id, 1);
      job.go(id, 2);
      holdfast.worker();
      first.signal("KILL");
      long killed = System.nanoTime();
      Awaitility.await("another worker finishes it")
          .atMost(PROMISE)
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> rows.of(id, "state").equals("done"));
      assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(PROMISE);
      assertThat(rows.outcomes(id)).containsExactly("crashed", "succeeded");
    }
  }
}
