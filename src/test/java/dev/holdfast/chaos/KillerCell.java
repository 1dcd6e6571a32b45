package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.e2e.HoldfastProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/** One ticket whose job kills its worker, beside 99 that take their time. */
final class KillerCell implements Cell {
  private static final int INNOCENTS = 99;
  private static final Duration PATIENCE = Duration.ofSeconds(240);

  private final List<Long> innocents = new ArrayList<>();
  private long killer;

  @Override
  public void prepare(Chaos chaos) {
    chaos.holdfast.with("HOLDFAST_WORKER_CONCURRENCY", "60");
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    for (int i = 0; i < INNOCENTS; i++) {
      chaos.load.add(Jobs.LONG, "innocent-" + i);
      innocents.add(chaos.load.acknowledged().getOrDefault("innocent-" + i, 0L));
      if (i == INNOCENTS / 2) {
        killer =
            chaos.database.number(
                "SELECT holdfast.enqueue_ticket(design => ?, title => 'killer')", Jobs.KILLER);
      }
    }
    Awaitility.await("the killer is on hold")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(200))
        .until(
            () -> {
              replaceTheDead(chaos);
              return chaos.database.state(killer).equals("on_hold");
            });
    chaos.pass(Duration.ofSeconds(1));
    replaceTheDead(chaos);
  }

  /** As a supervisor does. */
  private static void replaceTheDead(Chaos chaos) throws Exception {
    for (HoldfastProcess each : chaos.crew.workers()) {
      if (!each.isAlive()) {
        chaos.crew.bury(each, "killed by its ticket");
        chaos.crew.start(1);
      }
    }
  }

  @Override
  public void check(Chaos chaos) {
    assertThat(innocents)
        .allSatisfy(
            id -> {
              assertThat(chaos.database.outcomes(id)).hasSizeLessThanOrEqualTo(2);
              assertThat(chaos.database.ticket(id)).containsEntry("retry_count", "0");
            });
    assertThat(chaos.database.outcomes(killer)).containsExactly("crashed", "crashed", "crashed");
    assertThat(chaos.database.ticket(killer).get("hold_reason"))
        .isEqualTo("Its worker died 3 times: system_error");
  }
}
