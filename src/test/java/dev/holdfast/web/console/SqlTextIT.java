package dev.holdfast.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.console.view.Filters;
import dev.holdfast.web.console.view.SqlText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a page says is the same in SQL is run. */
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SqlTextIT {
  private TicketDatabase database;

  @BeforeAll
  void tickets(TestDatabase given) {
    database = new TicketDatabase(given);
    database.run(
        "SELECT holdfast.enqueue_batch('[{\"kind\": \"letters\", \"title\": \"in a batch\"}]',"
            + " 'ann')");
    database.run(
        "INSERT INTO holdfast.tickets (kind, title, unique_key) VALUES ('manual', '100% of a_b\\c',"
            + " NULL), ('manual', '1000 of axb', NULL), ('manual', 'no words', 'Key-100% a_b\\c')");
    new SampleTickets(database).hold(2, "held", "boom");
    new SampleTickets(database).hold(1, "held", "it's gone");
    database.run("SELECT holdfast.assign_ticket(max(id), 'o''neil', 'ann') FROM holdfast.tickets");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "assignee=o'neil",
        "batch=1",
        "q=0% ",
        "q=A_B",
        "q=b\\c",
        "q=key-1",
        "state=on_hold",
        "state=on_hold&q=held 2",
        "kind=letters",
        "category=system_error",
        "fingerprint=65079b00",
        "fingerprint=65079b006e85a7e798abecb99e47c154",
        "before=3"
      })
  @DisplayName("22.3: the SQL that a list of tickets shows gives the same tickets as the list")
  void same(String address) {
    Map<String, String> given = new HashMap<>();
    for (String pair : address.split("&", -1)) {
      given.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
    }
    TicketFilter filter = Filters.of(given::get).query();
    List<String> shown =
        new PostgresTicketReader(database.dataSource())
            .window(filter).tickets().stream().map(TicketSummary::id).map(String::valueOf).toList();
    assertThat(shown).hasSizeBetween(1, 3);
    assertThat(database.column(SqlText.tickets(filter))).isEqualTo(shown);
  }
}
