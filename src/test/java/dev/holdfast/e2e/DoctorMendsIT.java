package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only a worker mends. */
@Tag("slow")
@WithDatabase
class DoctorMendsIT {
  @Test
  @DisplayName(
      "issue 20, 2.6: a killed worker's lease that nobody rescues is found; the worker that"
          + " doctor asks for mends it")
  void lease(TestDatabase database, @TempDir Path directory) throws Exception {
    TicketRows rows = new TicketRows(database.dataSource());
    rows.addDesign(
        "wait", Job.of(directory, "[ -e started ] && exit 0; touch started; exec sleep 600"));
    try (Installation holdfast = Installation.on(database, directory)) {
      HoldfastProcess worker = holdfast.worker();
      holdfast.ok("enqueue", "--design", "wait");
      await("it runs").until(() -> Files.exists(directory.resolve("started")));
      worker.close();
      // As if that were an hour ago.
      try (Connection connection = database.dataSource().getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("UPDATE holdfast.leases SET expires_at = now() - interval '1 hour'");
        statement.execute("UPDATE holdfast.workers SET heartbeat_at = now() - interval '1 hour'");
      }
      holdfast.ok(
          "enqueue",
          "--kind",
          "command",
          "--queue",
          "mail",
          "--payload",
          "{\"command\": [\"true\"]}");
      assertThat(holdfast.ok("doctor"))
          .contains(
              "warn  leases: 1 expired, with 1 tickets that nobody rescued; the oldest 60m ago")
          .contains("start one: holdfast worker")
          .contains("start a worker for them: holdfast worker --queue mail");

      holdfast.worker();
      await("both are done")
          .atMost(Duration.ofMinutes(1))
          .until(
              () ->
                  rows.value(
                          "SELECT count(*) FROM holdfast.tickets WHERE state <> 'ready' AND state"
                              + " <> 'in_progress'")
                      .equals("2"));
      assertThat(holdfast.ok("doctor"))
          .contains("ok    leases: ", "ok    kinds: ", "workers: 1 running");
    }
  }
}
