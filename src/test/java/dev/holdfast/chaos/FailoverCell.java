package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.awaitility.Awaitility;

/**
 * A primary with one synchronous standby dies, and the standby is promoted. Before that the standby
 * falls behind, so that a commit which did not wait for it would be lost.
 */
final class FailoverCell implements Cell {
  private static final Duration START = Duration.ofSeconds(30);

  @Override
  public void prepare(Chaos chaos) throws Exception {
    chaos.relay();
    chaos.site.follow();
    if (chaos.options.without() != Protection.SYNCHRONY) {
      chaos.database.run("ALTER SYSTEM SET synchronous_standby_names = '*'");
      chaos.database.run("SELECT pg_reload_conf()");
      Awaitility.await("the standby is synchronous")
          .atMost(START)
          .until(
              () ->
                  chaos.database.number(
                          "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
                      == 1);
    }
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    chaos.pass(chaos.options.length().dividedBy(2));
    chaos.faults.during(
        "failover",
        () -> {
          chaos.site.silenceStandby();
          chaos.pass(Duration.ofSeconds(1));
          chaos.site.failOver();
          chaos.relay().lead(chaos.site.port());
          chaos.relay().drop();
        });
    assertThat(chaos.database.value("SELECT pg_is_in_recovery()")).isEqualTo("f");
    chaos.pass(chaos.options.length().dividedBy(2));
  }
}
