package dev.holdfast.web.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ConsoleServer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@WithDatabase
class ListBrowserIT {
  private final TestDatabase testDatabase;
  private final TicketDatabase database;
  private final SampleTickets tickets;

  ListBrowserIT(TestDatabase testDatabase) {
    this.testDatabase = testDatabase;
    this.database = new TicketDatabase(testDatabase);
    this.tickets = new SampleTickets(database);
  }

  @Test
  @DisplayName(
      "22.7: a ticket is enqueued by form, once however often it is sent, is run again as a copy;"
          + " tabs and the menu count; results are approved and tickets cancelled in one go")
  void lists() {
    try (Browsers browsers = Browsers.start();
        ConsoleServer server = ConsoleServer.open(testDatabase.dataSource())) {
      Page page = browsers.page();
      enqueue(page, server);
      List<Long> reviews = List.of(tickets.review("one", "1"), tickets.review("two", "2"));
      page.navigate(server.url("/tickets?state=needs_review&kind=manual"));
      assertThat(page.locator("#review-count")).hasText("2");
      assertThat(page.locator(".states a[aria-current]")).hasText("needs review 2");
      page.navigate(server.url("/review"));
      page.locator("[data-all]").check();
      page.locator("button:has-text('Approve selected')").click();
      assertThat(page.locator("#notice")).containsText("Approved 2 tickets");
      assertThat(reviews.stream().map(database::state)).containsOnly("done");
      assertThat(page.locator("#review-count")).hasText("0");

      allOfOneDesign(page, server);

      heldOfOneDesign(page, server);

      page.navigate(server.url("/tickets?kind=letters"));
      page.locator(".states a:has-text('ready')").click();
      assertThat(page.locator("tr[data-row]")).hasCount(2);
      assertThat(page).hasURL(java.util.regex.Pattern.compile("kind=letters"));
      page.locator("[data-all]").check();
      page.locator("button:has-text('Cancel selected')").click();
      assertThat(page.locator("#notice")).containsText("Cancelled 2 tickets");
      assertThat(database.number("SELECT count(*) FROM holdfast.tickets WHERE state = 'ready'"))
          .isZero();
    }
  }

  /** What waits for review when the page was made, of one design; nothing else. */
  private void allOfOneDesign(Page page, ConsoleServer server) {
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('letters', 1,"
            + " 'manual', '{}'), ('letters', 2, 'manual', '{}'), ('other', 1, 'manual', '{}')");
    String add =
        "INSERT INTO holdfast.tickets (kind, design_id, state, result, completed_at) SELECT"
            + " 'manual', d.id, 'needs_review', '1', now() FROM holdfast.designs d,"
            + " generate_series(1, 13) WHERE d.name = ?";
    database.run(add, "letters");
    database.run(add, "other");
    // The page hears of nothing, and so stays as it was made.
    page.route("**/api/v1/events*", Route::abort);
    page.navigate(server.url("/review"));
    page.locator(".states a:has-text('letters')").click();
    assertThat(page.locator(".states a[aria-current]")).hasText("letters 26");
    assertThat(page.locator("article.review")).hasCount(10);
    database.run(add, "letters");
    page.locator("button:has-text('Approve all 26 of letters')").click();
    assertThat(page.locator("#notice")).containsText("Approved 26 tickets");
    page.unroute("**/api/v1/events*");
    String waiting =
        "SELECT count(*) FROM holdfast.tickets t JOIN holdfast.designs d ON d.id ="
            + " t.design_id WHERE t.state = 'needs_review' AND d.name = ?";
    assertThat(database.number(waiting, "letters")).isEqualTo(26);
    assertThat(database.number(waiting, "other")).isEqualTo(13);
    assertThat(
            database.column(
                "SELECT DISTINCT actor || channel FROM holdfast.ticket_activity WHERE action ="
                    + " 'approved'"))
        .containsExactly("annconsole");
  }

  /** The button says all that match: what another filter of the page hides stays held. */
  private void heldOfOneDesign(Page page, ConsoleServer server) {
    List<Long> held = tickets.hold(2, "held", "no space left");
    String give =
        "UPDATE holdfast.tickets SET design_id = (SELECT max(id) FROM holdfast.designs WHERE name ="
            + " ?) WHERE id = ?";
    database.run(give, "letters", held.getFirst());
    database.run(give, "other", held.getLast());
    page.navigate(server.url("/tickets?state=on_hold&design=letters"));
    assertThat(page.locator("tr[data-row]")).hasCount(1);
    page.locator("button:has-text('Release all that match')").click();
    assertThat(page.locator("#notice")).containsText("Released");
    assertThat(database.state(held.getFirst())).isEqualTo("ready");
    assertThat(database.state(held.getLast())).isEqualTo("on_hold");
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'again')", held.getFirst());
  }

  private void enqueue(Page page, ConsoleServer server) {
    page.navigate(server.url("/tickets"));
    page.locator("text=Enqueue a ticket").click();
    page.locator("#kind").fill("letters");
    page.locator("#title").fill("<b>to ann</b>");
    page.locator("#payload").fill("{\"to\": ");
    page.locator("button:has-text('Enqueue')").click();
    assertThat(page.locator(".notice.bad")).containsText("JSON");
    assertThat(page.locator("#title")).hasValue("<b>to ann</b>");
    page.locator("#payload").fill("{\"to\": \"ann\"}");
    page.locator("#priority").fill("7");
    String form = "document.forms.enqueue";
    Object status =
        page.evaluate(
            "fetch('/enqueue', {method: 'POST', body: new URLSearchParams(new FormData("
                + form
                + "))}).then(answer => answer.status)");
    assertThat(status).isEqualTo(200);
    page.locator("button:has-text('Enqueue')").click();
    assertThat(page.locator("h1")).containsText("<b>to ann</b>");
    assertThat(database.column("SELECT payload->>'to' || priority FROM holdfast.tickets"))
        .containsExactly("ann7");
    page.locator("#again").click();
    assertThat(page.locator("#kind")).hasValue("letters");
    page.locator("#payload").fill("{\"to\": \"bob\"}");
    page.locator("button:has-text('Enqueue')").click();
    assertThat(page.locator("#notice")).containsText("Enqueued #");
    assertThat(
            database.column(
                "SELECT payload->>'to' || priority FROM holdfast.tickets ORDER BY id DESC LIMIT 1"))
        .containsExactly("bob7");
    assertThat(
            database.column(
                "SELECT DISTINCT actor || ' ' || channel FROM holdfast.ticket_activity WHERE action"
                    + " = 'enqueued'"))
        .containsExactly("ann console");
  }
}
