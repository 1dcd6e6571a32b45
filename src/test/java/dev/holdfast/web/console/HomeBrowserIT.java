package dev.holdfast.web.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.holdfast.failure.Category;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ConsoleServer;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@WithDatabase
class HomeBrowserIT {
  private static final String HOSTILE = "<img src=x onerror=alert(1)>";

  private final TestDatabase testDatabase;
  private final TicketDatabase database;
  private final TestQueue queue;

  HomeBrowserIT(TestDatabase testDatabase) {
    this.testDatabase = testDatabase;
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
  }

  private void happen() {
    for (int i = 0; i < 3; i++) {
      queue.succeed(queue.enqueue(), queue.claim());
    }
    queue.fail(queue.enqueue(), queue.claim(), Category.CODE_ERROR);
    database.run(
        "INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry)"
            + " SELECT max(id), 1, 1, 'answered', jsonb_build_object('costUsd', 1.25, 'target',"
            + " jsonb_build_object('provider', 'p', 'model', ?), 'usage', '{\"input\": 10,"
            + " \"output\": 5, \"cacheRead\": 0, \"cacheWrite\": 0}'::jsonb)"
            + " FROM holdfast.ticket_base",
        HOSTILE);
    database.run("SELECT holdfast.roll_up_figures('0')");
  }

  @Test
  @DisplayName(
      "22.7: the home page says the first command where nothing was enqueued, then draws what"
          + " happened and says it in words, in each window")
  void home() {
    try (Browsers browsers = Browsers.start();
        ConsoleServer server = ConsoleServer.open(testDatabase.dataSource())) {
      Page page = browsers.page();
      page.navigate(server.url("/"));
      assertThat(page.locator(".welcome")).containsText("holdfast enqueue --design hello");

      happen();
      page.navigate(server.url("/?window=no%20such"));
      assertThat(page.locator(".tile.good .big")).hasText("3");
      assertThat(page.locator(".tile.bad")).containsText("25.0% of all");
      assertThat(page.locator("#throughput-desc")).hasText("succeeded 3, failed 1");
      assertThat(page.locator("#failures-table tbody td")).hasCount(Category.values().length);
      page.locator("#spending-table summary").click();
      assertThat(page.locator("#spending-table tbody")).containsText("$1.25");
      assertThat(page.locator("#main")).containsText("p/" + HOSTILE);
      assertThat(page.locator("#main")).containsText("Every provider of models may be called");

      for (String window : List.of("1h", "24h", "7d")) {
        page.locator(".tabs a >> text=" + window).click();
        assertThat(page.locator(".tabs a[aria-current]")).hasText(window);
        assertThat(page.locator(".tile.good .big")).hasText("3");
        assertThat(page.locator("#throughput-desc")).hasText("succeeded 3, failed 1");
      }
      assertThat(page.locator("tr[data-row] svg title").first())
          .hasText("3 attempts succeeded, last 7 days");

      // One failure closes nothing: it is called as before.
      database.run(
          "INSERT INTO holdfast.provider_cooldowns (provider, key_id, reason, detail, reported_by)"
              + " VALUES ('away', 'k', 'outage', 'HTTP 503', 'w')");
      page.reload();
      assertThat(page.locator("#main"))
          .containsText(Pattern.compile("away\\s+signs of an outage\\s+outage\\s+0"));

      database.run(
          "UPDATE holdfast.figures_cursor SET counted_until = now() - interval '20 minutes'");
      page.reload();
      assertThat(page.locator(".notice.wait")).containsText("in the last 20m is not counted yet");
      assertThat(page.title()).isEqualTo("Overview · Holdfast");
    }
  }
}
