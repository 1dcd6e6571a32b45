package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.e2e.HoldfastProcess;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/**
 * Workers that die while they claim: before anything is written, when the lease is written and not
 * committed, and when it is committed and nobody has read the answer.
 */
final class ClaimCell implements Cell {
  private static final String VICTIM = "chaos-victim";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String GATES =
      """
      CREATE FUNCTION chaos.gate() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_setting('application_name') = 'chaos-victim' THEN
          PERFORM set_config('lock_timeout', '0', true);
          PERFORM pg_advisory_xact_lock_shared(4712, TG_ARGV[0]::integer);
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER gate_before BEFORE DELETE ON holdfast.ready
        FOR EACH STATEMENT EXECUTE FUNCTION chaos.gate(1);
      CREATE TRIGGER gate_in AFTER INSERT ON holdfast.leases
        FOR EACH STATEMENT EXECUTE FUNCTION chaos.gate(2);
      """;

  private final List<String> orphans = new ArrayList<>();

  @Override
  public void prepare(Chaos chaos) {
    chaos.database.run(GATES);
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    Instant end = chaos.end();
    do {
      die(chaos, 1, false);
      die(chaos, 2, false);
      die(chaos, 2, true);
    } while (Instant.now().isBefore(end));
  }

  /**
   * @param gate where it stands when it dies: 1 before anything is written, 2 before the commit
   * @param commits whether the server goes on with what the dead worker asked for
   */
  private void die(Chaos chaos, int gate, boolean commits) throws Exception {
    try (Connection keeper = chaos.site.dataSource().getConnection();
        Statement statement = keeper.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(4712, " + gate + ")");
      chaos.holdfast.with(
          "HOLDFAST_DATABASE_URL", chaos.site.jdbcUrl() + "?ApplicationName=" + VICTIM);
      HoldfastProcess victim = chaos.crew.begin("--no-console").awaitListening();
      chaos.holdfast.with("HOLDFAST_DATABASE_URL", chaos.site.jdbcUrl());
      Awaitility.await("a claim stands at gate " + gate)
          .atMost(PATIENCE)
          .until(() -> chaos.database.number(STANDING) > 0);
      String id = victim.workerId();
      chaos.crew.kill(victim);
      if (!commits) {
        chaos.database.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?",
            VICTIM);
      } else {
        orphans.add(id);
      }
      statement.execute("SELECT pg_advisory_unlock_all()");
      if (commits) {
        Awaitility.await("the dead worker's claim is committed")
            .atMost(PATIENCE)
            .until(() -> chaos.database.number(CLAIMED, id) > 0);
      }
    }
  }

  private static final String STANDING =
      "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 4712 AND NOT"
          + " granted";
  private static final String CLAIMED = "SELECT count(*) FROM chaos.claims WHERE worker_id = ?";

  /** What was claimed by the dead ran for none of them. */
  @Override
  public void check(Chaos chaos) {
    assertThat(orphans).isNotEmpty();
    for (String each : orphans) {
      assertThat(
              chaos.database.column(
                  "SELECT DISTINCT a.outcome FROM chaos.claims c LEFT JOIN holdfast.ticket_attempts"
                      + " a USING (ticket_id, lease_no) WHERE c.worker_id = ?",
                  each))
          .as("what became of the claims of %s", each)
          .isSubsetOf("crashed", "given_back");
    }
  }
}
