package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several workers on one database. */
@Tag("slow")
@WithDatabase
class TwoWorkersIT {
  private static final int TICKETS = 200;

  @Test
  @DisplayName("A44: two workers share 200 tickets and run each exactly once")
  void eachOnce(TestDatabase database, @TempDir Path directory) throws Exception {
    TicketRows rows = new TicketRows(database.dataSource());
    rows.addDesign("log", Job.of(directory, "echo $HOLDFAST_TICKET_ID >> executions"));
    Path tickets = directory.resolve("tickets.jsonl");
    Files.writeString(tickets, "{\"design\": \"log\"}\n".repeat(TICKETS));
    try (Installation holdfast = Installation.on(database, directory)) {
      holdfast.worker("--concurrency", "4");
      holdfast.worker("--concurrency", "4");
      assertThat(holdfast.ok("enqueue", "--file", tickets.toString()))
          .startsWith("added " + TICKETS + " as batch ");
      await("all are done")
          .atMost(Duration.ofMinutes(3))
          .until(
              () ->
                  rows.value("SELECT count(*) FROM holdfast.tickets WHERE state = 'done'")
                      .equals("" + TICKETS));
    }
    List<String> executions = Files.readAllLines(directory.resolve("executions"));
    assertThat(executions).hasSize(TICKETS);
    assertThat(new HashSet<>(executions)).hasSize(TICKETS);
    assertThat(rows.value("SELECT count(*) FROM holdfast.ticket_attempts")).isEqualTo("" + TICKETS);
    assertThat(rows.value("SELECT count(DISTINCT worker_id) FROM holdfast.ticket_attempts"))
        .isEqualTo("2");
  }
}
