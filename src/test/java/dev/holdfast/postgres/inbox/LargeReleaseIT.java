package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a release of many reads where statistics are of little help. */
@WithDatabase
@EverySetup
class LargeReleaseIT {
  private final TestDatabase database;
  private final TicketDatabase tickets;

  LargeReleaseIT(TestDatabase database) {
    this.database = database;
    this.tickets = new TicketDatabase(database);
  }

  @Test
  @DisplayName(
      "who releases a workflow of thousands of steps reads as much for each step as for one of few,"
          + " where no other tickets wait and nothing was held or released lately")
  void largeWorkflow() throws SQLException {
    tickets.run(
        "VACUUM ANALYZE holdfast.held, holdfast.released_holds, holdfast.ticket_guidance,"
            + " holdfast.session_journal");
    String workflow = tickets.value("SELECT holdfast.enqueue_ticket(kind => 'workflow')");
    tickets.run(
        "INSERT INTO holdfast.workflows (ticket_id, parked) VALUES (" + workflow + ", true)");
    tickets.run("DELETE FROM holdfast.ready WHERE id = " + workflow);
    int steps = 5_000;
    String each =
        """
        SELECT holdfast.add_children(b, jsonb_build_array(jsonb_build_object('step', 'each', 'kind', 'part', 'items', true,
          'payloads', (SELECT jsonb_agg('{}'::jsonb) FROM generate_series(1, ?)))))
        FROM holdfast.ticket_base b WHERE b.kind = 'workflow'
        """;
    tickets.run(each, steps);
    tickets.run("VACUUM ANALYZE holdfast.ticket_dependencies, holdfast.workflows");
    try (Connection connection = database.dataSource().getConnection();
        Statement session = connection.createStatement()) {
      session.execute("SELECT holdfast.hold_ticket(" + workflow + ", 'ann', 'look')");
      String read = "";
      try (ResultSet lines =
          session.executeQuery(
              "EXPLAIN (ANALYZE, BUFFERS, TIMING off) SELECT holdfast.release_ticket("
                  + workflow
                  + ", 'ann', 'go on')")) {
        while (lines.next()) {
          read += lines.getString(1) + '\n';
        }
      }
      Matcher hits = Pattern.compile("shared hit=(\\d+)").matcher(read);
      assertThat(hits.find()).as(read).isTrue();
      assertThat(Long.parseLong(hits.group(1)) / steps)
          .as("pages that are read for each step")
          .isLessThan(120);
    }
  }
}
