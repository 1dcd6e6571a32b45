package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.Migrations;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A database whose schema the migrations made that were there before release 0.1. */
@EverySetup
@WithDatabase
@Order(1) // it takes long
class DevelopmentBuildIT {
  private final TicketDatabase sql;
  private final Cli cli;

  DevelopmentBuildIT(TestDatabase database) {
    this.sql = new TicketDatabase(database);
    this.cli = Cli.on(database);
  }

  @Test
  @DisplayName("every command refuses it with the way out, which leads out with the tickets")
  void wayOut() {
    long waits = sql.enqueue("mail");
    sql.run("UPDATE holdfast.tickets SET title = 'kept' WHERE id = ?", waits);
    long held = sql.enqueue("mail");
    sql.run("SELECT holdfast.hold_ticket(?, 'ann', 'look at it')", held);
    sql.run(
        "UPDATE holdfast.flyway_schema_history SET script = 'V1__create_tables.sql' WHERE version ="
            + " '1'");
    for (String command :
        List.of(
            "migrate",
            "list",
            "stats",
            "doctor",
            "enqueue --kind mail",
            "release " + held,
            "design list",
            "budgets",
            "providers",
            "migrate --from public.tickets --dry-run")) {
      Cli.Result refused = cli.run(command.split(" "));
      assertThat(refused.code()).as(command).isOne();
      assertThat(refused.err())
          .as(command)
          .hasLineCount(1)
          .contains("a development build before Holdfast 0.1 made the schema holdfast")
          .contains("ALTER SCHEMA holdfast RENAME TO holdfast_old");
    }

    sql.run("ALTER SCHEMA holdfast RENAME TO holdfast_old");
    assertThat(cli.run("migrate", "--from", "holdfast_old.tickets", "--map-kind", "-=mail").code())
        .isZero();
    assertThat(
            sql.column(
                "SELECT concat_ws('|', i.source_id, t.kind, t.state) FROM holdfast.tickets t"
                    + " JOIN holdfast.imported_tickets i ON i.ticket_id = t.id ORDER BY t.id"))
        .containsExactly(waits + "|mail|ready", held + "|mail|on_hold");
    Migrations.requireCurrent(sql.dataSource(), "holdfast");
    assertThat(sql.column("SELECT title FROM holdfast_old.tickets WHERE id = ?", waits))
        .containsExactly("kept");
  }
}
