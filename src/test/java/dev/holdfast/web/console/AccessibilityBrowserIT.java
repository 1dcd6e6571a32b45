package dev.holdfast.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.holdfast.failure.Category;
import dev.holdfast.postgres.inbox.PostgresDesignStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ConsoleServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccessibilityBrowserIT {
  private Browsers browsers;
  private ConsoleServer server;
  private List<String> paths = List.of();

  @BeforeAll
  void open(TestDatabase testDatabase) {
    TicketDatabase database = new TicketDatabase(testDatabase);
    SampleTickets tickets = new SampleTickets(database);
    TestQueue queue = TestQueue.on(database);
    browsers = Browsers.start();
    server = ConsoleServer.open(testDatabase.dataSource());
    long held = tickets.hold(3, "held", "the disk is full\nat line 3").getFirst();
    tickets.review(
        "patched", "{\"diff\": \"--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-old\\n+new\\n\", \"n\": 1}");
    PostgresDesignStore shelf = new PostgresDesignStore(testDatabase.dataSource());
    shelf.put("hello", "command", "{\"kind\": \"command\", \"command\": [\"a\"]}", "ann");
    shelf.put("hello", "command", "{\"kind\": \"command\", \"command\": [\"b\"]}", "ann");
    database.run(
        "SELECT holdfast.put_schedule('nightly', 'ann', cron => '0 3 * * *', design => 'hello')");
    queue.succeed(queue.enqueue(), queue.claim());
    queue.fail(queue.enqueue(), queue.claim(), Category.CODE_ERROR);
    queue.enqueue();
    queue.claim(2);
    database.run("SELECT holdfast.roll_up_figures('0')");
    paths =
        List.of(
            "/",
            "/?window=7d",
            "/inbox",
            "/group?fingerprint=&category=",
            "/tickets",
            "/tickets?state=on_hold",
            "/tickets?state=needs_review",
            "/enqueue?again=" + held,
            "/tickets?state=nonsense",
            "/tickets/" + held,
            "/review",
            "/queues",
            "/schedules",
            "/workers",
            "/providers",
            "/designs",
            "/design?name=hello",
            "/runs/none");
  }

  @AfterAll
  void close() {
    if (server != null) {
      server.close();
    }
    if (browsers != null) {
      browsers.close();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LIGHT", "DARK"})
  @DisplayName("axe finds nothing serious on any page, light or dark")
  void axe(ColorScheme scheme) {
    Page page = browsers.page(new Browser.NewContextOptions().setColorScheme(scheme));
    for (String path : paths) {
      page.navigate(server.url(path));
      assertThat(
              new AxeBuilder(page)
                  .analyze().getViolations().stream()
                      .filter(found -> List.of("serious", "critical").contains(found.getImpact()))
                      .map(
                          found ->
                              found.getId()
                                  + ": "
                                  + found.getHelp()
                                  + " "
                                  + found.getNodes().stream()
                                      .map(node -> node.getHtml())
                                      .limit(3)
                                      .toList()))
          .as("%s in %s", path, scheme)
          .isEmpty();
    }
  }
}
