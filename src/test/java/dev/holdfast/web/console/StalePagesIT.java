package dev.holdfast.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ConsoleServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Pages and forms that somebody had open while others acted. */
@WithDatabase
class StalePagesIT {
  private final TicketDatabase database;
  private final SampleTickets tickets;
  @AutoClose private final ConsoleServer server;
  @AutoClose private final ConsoleVisitor visitor;

  StalePagesIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.tickets = new SampleTickets(this.database);
    this.server = ConsoleServer.open(database.dataSource());
    this.visitor = new ConsoleVisitor(server);
  }

  @BeforeEach
  void nobodyWaits() {
    database.run(
        "SELECT holdfast.cancel_ticket(id, 'ann') FROM holdfast.tickets"
            + " WHERE state NOT IN ('done', 'cancelled')");
  }

  @Test
  @DisplayName("22.1: a page behind the last group says how many tickets wait, and leads to them")
  void pageBehindTheGroups() throws Exception {
    assertThat(visitor.page("/inbox?page=1000")).contains("Nobody waits for you");
    tickets.hold(3, "one", "boom");
    assertThat(visitor.page("/inbox?page=1000"))
        .contains("3 tickets wait for a person, in 1 group", "href=\"/inbox\">The largest groups")
        .doesNotContain("Nobody waits for you");
    assertThat(visitor.page("/inbox?category=system_error&page=2"))
        .contains("3 tickets wait", "href=\"/inbox?category=system_error\">The largest groups")
        .doesNotContain("No held ticket matches");
    assertThat(visitor.page("/inbox?category=permanent&page=2")).contains("No held ticket matches");
  }

  @Test
  @DisplayName("22.1: a group's page whose tickets are gone leads to those that still wait")
  void pageOfGroup() throws Exception {
    long id = tickets.hold(2, "one", "boom").getFirst();
    String group =
        "/group?category=system_error&fingerprint="
            + database.value("SELECT error_fingerprint FROM holdfast.tickets WHERE id = ?", id);
    assertThat(visitor.page(group + "&before=" + id))
        .contains("2 held tickets", ">From the newest on</a>")
        .doesNotContain("No ticket of this group waits any more");
    nobodyWaits();
    assertThat(visitor.page(group)).contains("No ticket of this group waits any more");
  }

  @Test
  @DisplayName("22.1: a page of older results without any leads to the newer ones")
  void pageOfResults() throws Exception {
    assertThat(visitor.page("/review")).contains("Nothing to review");
    long id = tickets.review("one", "{}");
    assertThat(visitor.page("/review?before=" + id))
        .contains("No older result waits", "href=\"/review\">From the newest on")
        .doesNotContain("Nothing to review");
    assertThat(visitor.page("/review?design=d&before=" + id))
        .contains("href=\"/review?design=d\">From the newest on");
  }

  @Test
  @DisplayName("22.3: a page of older tickets without any leads to the newer ones")
  void pageOfTickets() throws Exception {
    assertThat(visitor.page("/tickets?queue=older")).contains("No ticket matches");
    long id = database.number("SELECT holdfast.enqueue_ticket(kind => 'manual', queue => 'older')");
    assertThat(visitor.page("/tickets?queue=older&before=" + id))
        .contains("No older ticket matches", "href=\"/tickets?queue=older\">From the newest on")
        .doesNotContain("No ticket matches");
  }
}
