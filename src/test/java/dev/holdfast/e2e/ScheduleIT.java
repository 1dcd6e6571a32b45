package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Schedules with real workers. */
@Tag("slow")
@WithDatabase
class ScheduleIT {
  @Test
  @DisplayName("two workers, one killed: each second has one ticket, and it is worked")
  void beats(TestDatabase database, @TempDir Path directory) throws Exception {
    TicketRows rows = new TicketRows(database.dataSource());
    rows.addDesign("log", Job.of(directory, "echo $HOLDFAST_TICKET_ID >> executions"));
    try (Installation holdfast = Installation.on(database, directory)) {
      HoldfastProcess first = holdfast.worker();
      holdfast.worker();
      assertThat(
              holdfast.ok(
                  "schedule",
                  "put",
                  "beat",
                  "--every",
                  "1s",
                  "--catch-up",
                  "all",
                  "--design",
                  "log"))
          .startsWith("beat: next ");
      await("some are made").until(() -> done(rows) >= 2);
      first.signal("KILL");
      int before = done(rows);
      await("more are made").until(() -> done(rows) >= before + 2);
      holdfast.ok("schedule", "delete", "beat");
    }
    List<String> keys =
        rows.column("SELECT unique_key FROM holdfast.tickets WHERE title = 'beat' ORDER BY 1");
    assertThat(keys).hasSizeGreaterThanOrEqualTo(4).doesNotHaveDuplicates();
    assertThat(rows.value("SELECT count(*) FROM holdfast.tickets WHERE title = 'beat'"))
        .as("one per second, and none left out")
        .isEqualTo(
            rows.value(
                "SELECT 1 + round(extract(epoch FROM max(t) - min(t))) FROM (SELECT"
                    + " substr(unique_key, 15)::timestamptz AS t FROM holdfast.tickets WHERE title"
                    + " = 'beat') x"));
  }

  private static int done(TicketRows rows) {
    return Integer.parseInt(
        rows.value(
            "SELECT count(*) FROM holdfast.tickets WHERE title = 'beat' AND state = 'done'"));
  }
}
