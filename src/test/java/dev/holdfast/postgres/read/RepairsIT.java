package dev.holdfast.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.TestSql;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.session.JournalEntries;
import dev.holdfast.postgres.session.PostgresJournalStore;
import dev.holdfast.repair.trace.TraceEvent;
import dev.holdfast.secret.Secrets;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What repairs leave in the database, and what an approval adds. */
@WithDatabase
@EverySetup
class RepairsIT {
  private final TestDatabase database;
  private final TestTickets tickets;
  private final TestSql sql;

  RepairsIT(TestDatabase database) {
    this.database = database;
    this.tickets = new TestTickets(database.dataSource());
    this.sql = new TestSql(database.dataSource());
  }

  @Test
  @DisplayName("E47: the events of journalled steps are in repair_events, and read back as traced")
  void events() {
    String kind = "repair-events";
    long id = sql.number("INSERT INTO holdfast.tickets (kind) VALUES (?) RETURNING id", kind);
    new PostgresJournalStore(database.dataSource(), "holdfast", time -> {}, Secrets.NONE)
        .open(id, tickets.claim(kind))
        .append(JournalEntries.OF_EVERY_KIND);
    List<TraceEvent> events =
        new PostgresRunReader(database.dataSource(), "holdfast")
            .events(Duration.ofMinutes(5)).stream().filter(each -> each.ticketId() == id).toList();
    assertThat(events).hasSize(1);
    TraceEvent event = events.getFirst();
    assertThat(event.run()).isEqualTo("r-1");
    assertThat(event.type()).isEqualTo("RepairAttempted");
    assertThat(event.at()).isEqualTo("2026-11-21T08:00:00Z");
    assertThat(event.payload().path("t").asString()).isEqualTo("\0");
  }

  private long inReview(String kind, String result) {
    return sql.number(
        "INSERT INTO holdfast.tickets (kind, queue, state, result)"
            + " VALUES (?, 'mending', 'needs_review', ?::jsonb) RETURNING id",
        kind,
        result);
  }

  private long deliveries(long id) {
    return sql.number(
        "SELECT count(*) FROM holdfast.tickets WHERE payload #>> '{deliver,ticket}' = ?::text", id);
  }

  @Test
  @DisplayName("approve of a repair whose design merges adds the ticket that does it, in its queue")
  void delivery() {
    long id =
        inReview(
            "repair", "{\"on_approve\": \"merge\", \"commit\": \"c1\", \"base_commit\": \"b1\"}");
    new PostgresTicketDesk(database.dataSource()).approve(id, "ann");
    assertThat(
            sql.value(
                "SELECT state || ' ' || queue || ' ' || kind || ' ' || title || ' ' ||"
                    + " (payload->'deliver')::text FROM holdfast.tickets"
                    + " WHERE payload #>> '{deliver,ticket}' = ?::text",
                id))
        .isEqualTo(
            "ready mending repair merge of #%s {\"commit\": \"c1\", \"ticket\": %s, \"base_commit\": \"b1\"}"
                .formatted(id, id));
    assertThat(
            sql.value(
                "SELECT details->>'delivery' IS NOT NULL FROM holdfast.ticket_activity WHERE action"
                    + " = 'approved' AND ticket_id = ?",
                id))
        .isEqualTo("t");
  }

  @Test
  @DisplayName("approve of anything else adds nothing")
  void noDelivery() {
    PostgresTicketDesk desk = new PostgresTicketDesk(database.dataSource());
    for (String result :
        List.of(
            "{\"on_approve\": \"none\", \"commit\": \"c1\"}", "{\"on_approve\": \"push\"}", "7")) {
      long id = inReview("repair", result);
      desk.approve(id, "ann");
      assertThat(deliveries(id)).as(result).isZero();
    }
    long other = inReview("command", "{\"on_approve\": \"merge\", \"commit\": \"c1\"}");
    desk.approve(other, "ann");
    assertThat(deliveries(other)).isZero();
  }
}
