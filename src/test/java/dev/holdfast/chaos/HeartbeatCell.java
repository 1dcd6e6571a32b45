package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.awaitility.Awaitility;

/**
 * The server does not answer one worker's heartbeats for longer than its lease, though all else. It
 * has to stop its jobs before others may have them.
 */
final class HeartbeatCell implements Cell {

  /** More than one worker takes. */
  private static final int JOBS = 24;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration FROZEN = Duration.ofSeconds(8);
  private static final String BACKEND =
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'holdfast-heartbeat' AND state ="
          + " 'idle' ORDER BY md5(pid || ?) LIMIT 1";
  private static final String RUNNING =
      "SELECT count(*) FROM chaos.claims c JOIN holdfast.ticket_base b ON b.id = c.ticket_id WHERE"
          + " b.unique_key LIKE 'patient-%'";

  @Override
  public void rage(Chaos chaos) throws Exception {
    for (int i = 0; i < JOBS; i++) {
      chaos.load.add(Jobs.PATIENT, "patient-" + i);
    }
    Awaitility.await("long jobs run")
        .atMost(PATIENCE)
        .until(() -> chaos.database.number(RUNNING) >= JOBS);
    String pid = chaos.database.value(BACKEND, Integer.toString(chaos.random.nextInt()));
    signal("STOP", pid);
    chaos.pass(chaos.options.length().compareTo(FROZEN) > 0 ? chaos.options.length() : FROZEN);
    signal("CONT", pid);
  }

  private static void signal(String name, String pid) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("kill", "-s", name, pid).start().waitFor()).isZero();
  }

  @Override
  public double goesOn() {
    return 0.4;
  }

  @Override
  public void check(Chaos chaos) throws IOException {
    assertThat(chaos.reasons())
        .as("why tickets ran again")
        .isNotEmpty()
        .isSubsetOf(Ledger.LATE, Ledger.EXPIRED);
    assertThat(Jobs.overlaps(chaos.jobs)).as("tickets that ran twice at a time").isEmpty();
  }
}
