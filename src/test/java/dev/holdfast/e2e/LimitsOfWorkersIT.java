package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Limits that several workers keep together, as their jobs see it. */
@Tag("slow")
@WithDatabase
@Timeout(400)
class LimitsOfWorkersIT {
  private static final int PER_KEY = 20;

  @Test
  @DisplayName(
      "issue 23: two workers never run two jobs of one key at once, nor does the one that is left"
          + " when the other is killed; a job that waits says for which limit")
  void perKey(TestDatabase database, @TempDir Path directory) throws Exception {
    TicketRows rows = new TicketRows(database.dataSource());
    Path log = directory.resolve("log");
    // Appends of a short line are whole. A killed worker's job writes no end.
    rows.addDesign(
        "keyed",
        Job.of(
            directory,
            "k=$(sed 's/.*\"key\" *: *\"\\([a-z]\\).*/\\1/'); echo \"+ $k $HOLDFAST_TICKET_ID\" >>"
                + " log; sleep 0.1; test -e stop && exec sleep 100; echo \"- $k"
                + " $HOLDFAST_TICKET_ID\" >> log"));
    try (Installation holdfast =
        Installation.on(database, directory)
            .with("HOLDFAST_WORKER_LEASE", "10s")
            .with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "1s")) {
      assertThat(holdfast.ok("limit", "set", "design:keyed", "--per-key", "1", "--by", "ann"))
          .isEqualTo("design:keyed: 1 at once per key");
      String line =
          "{\"design\": \"keyed\", \"concurrency_key\": \"%1$s\", \"payload\": {\"key\":"
              + " \"%1$s\"}}\n";
      Files.writeString(
          directory.resolve("t.jsonl"),
          (line.formatted("a") + line.formatted("b")).repeat(PER_KEY));
      holdfast.ok("enqueue", "--file", "t.jsonl");
      Path stop = Files.writeString(directory.resolve("stop"), "");
      HoldfastProcess first = holdfast.worker("--concurrency", "8");
      HoldfastProcess second =
          holdfast.start("worker", "--port", "0", "--concurrency", "8").awaitConsole();
      await("two jobs hang").until(() -> Files.exists(log) && running(log).size() == 2);
      assertThat(holdfast.ok("list", "--state", "ready"))
          .contains("waiting for the limit of design:keyed, 1 at once of the key ");
      assertThat(second.get("/queues").body()).contains("design:keyed", "1 at once per key");
      first.signal("KILL");
      first.awaitExit(Duration.ofSeconds(20));
      Files.delete(stop);
      second.signal("KILL");
      second.awaitExit(Duration.ofSeconds(20));
      holdfast.worker("--concurrency", "8");
      holdfast.worker("--concurrency", "8");
      await("all are done")
          .atMost(Duration.ofMinutes(3))
          .until(
              () ->
                  rows.value(
                          "SELECT count(*) FROM holdfast.tickets WHERE state IN ('done',"
                              + " 'needs_review')")
                      .equals("" + 2 * PER_KEY));
      assertThat(rows.value("SELECT count(*) FROM holdfast.line_slots")).isEqualTo("0");
      assertThat(
              rows.value(
                  "SELECT count(DISTINCT worker_id) FROM holdfast.ticket_attempts WHERE outcome ="
                      + " 'succeeded'"))
          .isNotEqualTo("1");
    }
    assertOneAtATime(Files.readAllLines(log));
  }

  private static Map<String, String> running(Path log) throws Exception {
    Map<String, String> running = new HashMap<>();
    for (String line : Files.readAllLines(log)) {
      String[] words = line.split(" ");
      if (words[0].equals("+")) {
        running.put(words[1], words[2]);
      } else {
        running.remove(words[1]);
      }
    }
    return running;
  }

  /**
   * A begin while another ticket of the key runs is one too many; two begins may lack their ends.
   */
  private static void assertOneAtATime(List<String> log) {
    Map<String, String> running = new HashMap<>();
    int cutShort = 0;
    for (String line : log) {
      String[] words = line.split(" ");
      if (words[0].equals("+")) {
        cutShort += running.put(words[1], words[2]) == null ? 0 : 1;
      } else {
        assertThat(running.remove(words[1])).as(line).isEqualTo(words[2]);
      }
    }
    assertThat(cutShort).as("jobs of killed workers").isEqualTo(2);
    assertThat(running).isEmpty();
  }
}
