package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.e2e.HoldfastProcess;
import java.time.Duration;
import java.time.Instant;

/**
 * Deployments, one after the other: a new worker comes, then an old one is told to stop. Some jobs
 * take longer than a worker may drain.
 */
record DeployCell() implements Cell {
  private static final int LEAST = 2;
  private static final int LONG_JOBS = 5;
  private static final Duration BETWEEN = Duration.ofSeconds(10);
  private static final Duration REALLY_BETWEEN = Duration.ofMinutes(1);

  @Override
  public void prepare(Chaos chaos) {
    if (chaos.options.real()) {
      chaos
          .holdfast
          .with("HOLDFAST_WORKER_LEASE", "60s")
          .with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "15s")
          .with("HOLDFAST_WORKER_DRAIN_TIMEOUT", "30s");
    }
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    Instant end = chaos.end();
    String longest = chaos.options.real() ? Jobs.MINUTE : Jobs.LONGEST;
    for (int deploy = 0; deploy < LEAST || Instant.now().isBefore(end); deploy++) {
      Instant next =
          Instant.now().plus(chaos.about(chaos.options.real() ? REALLY_BETWEEN : BETWEEN));
      chaos.crew.start(1);
      for (int i = 0; i < LONG_JOBS; i++) {
        chaos.load.add(longest, "longest-" + deploy + "-" + i);
      }
      HoldfastProcess old = chaos.crew.longest(chaos.database);
      if (chaos.options.without() == Protection.DRAIN) {
        chaos.crew.kill(old);
      } else {
        chaos.crew.terminate(old);
      }
      chaos.passUntil(next);
    }
  }

  /** A deployment is no crash, and uses up no retry. */
  @Override
  public void check(Chaos chaos) {
    assertThat(
            chaos.database.column(
                "SELECT worker_id FROM holdfast.ticket_attempts WHERE outcome = 'crashed'"))
        .as("attempts that crashed")
        .isEmpty();
    assertThat(
            chaos.database.number(
                "SELECT count(*) FROM holdfast.ticket_base WHERE retry_count > 0"))
        .as("tickets that used up a retry")
        .isZero();
    assertThat(chaos.reasons()).as("jobs that took longer than the drain").contains("SIGTERM");
  }
}
