package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What docs/batches.md shows, with real workers. */
@Tag("slow")
@WithDatabase
@Timeout(300)
class CanaryIT {
  private static final int TICKETS = 20;

  /** Fails while the file "fixed" is missing; then waits for "go". */
  private static final String SCRIPT =
      """
      [ -e fixed ] || { echo "FileNotFoundError: prices.csv" >&2; exit 1; }
      while [ ! -e go ] && [ -e fixed ]; do sleep 0.2; done
      echo $HOLDFAST_TICKET_ID >> worked
      echo "$HOLDFAST_GUIDANCE" >> guidance
      """;

  @Test
  @DisplayName(
      "a canary that fails again stops the release; one that comes through goes on over kill -9 of"
          + " its worker; the batch ends, and then its follower runs")
  void canary(TestDatabase database, @TempDir Path directory) throws Exception {
    TicketRows rows = new TicketRows(database.dataSource());
    rows.addDesign("price", Job.of(directory, SCRIPT));
    rows.addDesign("report", Job.of(directory, "wc -l < worked > reported"));
    Files.writeString(
        directory.resolve("tickets.jsonl"), "{\"design\": \"price\"}\n".repeat(TICKETS));
    try (Installation holdfast = Installation.on(database, directory)) {
      holdfast
          .with("HOLDFAST_RETRY_CATEGORIES_SYSTEM_ERROR_MAX_RETRIES", "0")
          .with("HOLDFAST_RETRY_CATEGORIES_CODE_ERROR_MAX_RETRIES", "0")
          .with("HOLDFAST_RETRY_CATEGORIES_UNKNOWN_MAX_RETRIES", "0")
          .with("HOLDFAST_WORKER_LEASE", "4s")
          .with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "1s")
          .with("HOLDFAST_WORKER_RESCUE_INTERVAL", "500ms");
      assertThat(holdfast.ok("enqueue", "--file", "tickets.jsonl", "--title", "prices of November"))
          .isEqualTo("added 20 as batch 1");
      holdfast.ok("enqueue", "--design", "report", "--after-batch", "1");
      HoldfastProcess first = holdfast.worker("--concurrency", "4");
      await("all are on hold").atMost(Duration.ofMinutes(1)).until(() -> held(rows) == TICKETS);
      assertThat(holdfast.ok("batch", "show", "1")).contains("0 of 20, 20 on hold");
      assertThat(holdfast.ok("batch", "list")).contains("prices of November");

      String fingerprint = rows.value("SELECT error_fingerprint FROM holdfast.error_groups");
      Outcome started =
          holdfast.ask(
              "release",
              "--fingerprint",
              fingerprint.substring(0, 8),
              "--canary",
              "3",
              "--ramp",
              "10,50,all");
      assertThat(started.stdout()).startsWith("release 1, step 1 of 4: released 3 of 20");
      assertThat(holdfast.ok("release", "show", "1", "-w"))
          .contains("stopped: released 3 of 20", "the same error came back");
      assertThat(held(rows)).isGreaterThanOrEqualTo(TICKETS - 3);
      await("the canary is on hold again").until(() -> held(rows) == TICKETS);

      Files.createFile(directory.resolve("fixed"));
      assertThat(
              holdfast
                  .ask(
                      "release",
                      "--batch",
                      "1",
                      "--canary",
                      "3",
                      "--ramp",
                      "5,all",
                      "--guidance",
                      "prices.csv is back")
                  .exit())
          .isZero();
      await("the canary runs").until(() -> running(rows) == 3);
      first.signal("KILL");
      first.awaitOutcome();
      assertThat(held(rows)).isEqualTo(TICKETS - 3);
      Files.createFile(directory.resolve("go"));
      holdfast.worker("--concurrency", "4");
      assertThat(holdfast.ok("release", "show", "2", "-w"))
          .contains("completed: released 20 of 20, 20 came through");
      assertThat(holdfast.ok("batch", "show", "1", "-w")).contains("20 of 20, ended");
      await("the follower has run").until(() -> Files.exists(directory.resolve("reported")));
      assertThat(holdfast.ok("release", "list")).contains("stopped:", "completed:");
    }
    assertThat(Files.readAllLines(directory.resolve("worked")))
        .hasSizeGreaterThanOrEqualTo(TICKETS);
    assertThat(Files.readString(directory.resolve("guidance"))).contains("prices.csv is back");
    assertThat(
            rows.column(
                "SELECT count(*) FROM holdfast.release_tickets WHERE release_id = 2 GROUP BY step"
                    + " ORDER BY step"))
        .containsExactly("3", "5", "12");
  }

  private static int held(TicketRows rows) {
    return Integer.parseInt(
        rows.value("SELECT count(*) FROM holdfast.tickets WHERE state = 'on_hold'"));
  }

  private static int running(TicketRows rows) {
    return Integer.parseInt(
        rows.value("SELECT count(*) FROM holdfast.tickets WHERE state = 'in_progress'"));
  }
}
