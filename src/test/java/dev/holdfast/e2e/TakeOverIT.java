package dev.holdfast.e2e;

import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ForgeTables;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tickets of the first source's tables, worked by the packaged program with default settings. */
@Tag("slow")
@WithDatabase
class TakeOverIT {
  private static final String ROWS =
      """
      INSERT INTO designs (id, name, definition) VALUES
        (1, 'build', '{"command": "echo built $HOLDFAST_TICKET_ID >&2; echo ''{\\"built\\": true}''"}'),
        (2, 'fix', '{"system_prompt": "You fix.", "provider": "openai", "model": "gpt-a"}');
      INSERT INTO tickets (id, title, design_id, state, assignee_type, vm_id, retry_count, error, hold_reason) VALUES
        (1, 'build it', 1, 'ready', 'agent', NULL, 0, NULL, NULL),
        (2, 'mend the door', 2, 'ready', 'agent', NULL, 2, 'HTTP 503', NULL),
        (3, 'half done', 1, 'in_progress', 'agent', 'vm-3', 1, NULL, NULL),
        (4, 'gave up', 1, 'on_hold', 'agent', NULL, 3, 'boom', 'Max retries exceeded: unknown'),
        (5, 'look at it', 1, 'needs_review', 'agent', NULL, 0, NULL, NULL);
      """;

  /** The source's own query for what its workers would take next. */
  private static final String GET_READY_TICKETS =
      """
      SELECT t.id
      FROM forge.tickets t
      LEFT JOIN forge.designs d ON t.design_id = d.id
      WHERE t.state = 'ready'
        AND t.assignee_type = 'agent'
        AND (t.retry_after IS NULL OR t.retry_after <= NOW())
      ORDER BY t.priority DESC, t.created_at ASC
      LIMIT 10
      """;

  @Test
  @DisplayName(
      "A59, A66: a stock worker works what holdfast migrate --from took over, with its designs and"
          + " states; the old table still works for old workers")
  void worked(TestDatabase database, @TempDir Path directory) throws Exception {
    ForgeTables.create(database.dataSource(), "forge", ROWS);
    TicketRows rows = new TicketRows(database.dataSource());
    try (ModelServer models = ModelServer.start();
        Installation holdfast =
            Installation.on(database, directory)
                .with("OPENAI_API_KEY", "sk-take-over")
                .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl())) {
      models.always(
          toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"mended\"}"));
      assertThat(holdfast.ask("migrate", "--from", "forge.tickets").stdout())
          .contains("took over 4 of 5 tickets");
      holdfast.worker();

      rows.awaitState(ticket(rows, 1), "needs_review");
      assertThat(rows.of(ticket(rows, 1), "result->>'built'")).isEqualTo("true");
      rows.awaitState(ticket(rows, 2), "needs_review");
      assertThat(rows.of(ticket(rows, 2), "result->>'content'")).isEqualTo("mended");
      assertThat(models.requests().getFirst().body().toString()).contains("mend the door");

      String held = Long.toString(ticket(rows, 4));
      holdfast.ok("release", held, "--guidance", "the disk has room again");
      rows.awaitState(ticket(rows, 4), "needs_review");
      holdfast.ok("approve", held, Long.toString(ticket(rows, 5)));
      rows.awaitState(ticket(rows, 5), "done");

      assertThat(rows.column(GET_READY_TICKETS)).containsExactlyInAnyOrder("1", "2");
      assertThat(holdfast.ok("migrate", "--from", "forge.tickets", "--in-progress", "ready"))
          .contains("took over 1 of 5 tickets");
      rows.awaitState(ticket(rows, 3), "needs_review");
      assertThat(rows.outcomes(ticket(rows, 1))).containsExactly("succeeded");
    }
  }

  private static long ticket(TicketRows rows, int sourceId) {
    return Long.parseLong(
        rows.value(
            "SELECT ticket_id FROM holdfast.imported_tickets WHERE source = 'forge.tickets' AND"
                + " source_id = ?",
            Integer.toString(sourceId)));
  }
}
