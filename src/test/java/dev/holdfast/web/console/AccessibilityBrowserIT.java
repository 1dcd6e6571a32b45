package dev.holdfast.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.holdfast.failure.Category;
import dev.holdfast.postgres.inbox.PostgresDesignStore;
import dev.holdfast.schema.Question;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ConsoleServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccessibilityBrowserIT {
  /** Only the colors differ in the dark; all rules would take twice the time. */
  private static final List<String> COLORS = List.of("color-contrast", "link-in-text-block");

  /** What is serious, as text. What axe does not report needs no details. */
  private static final String AXE =
      """
      options => axe.run(document, {...options, resultTypes: ['violations']}).then(found =>
        found.violations.filter(each => ['serious', 'critical'].includes(each.impact))
          .map(each => ` ${each.id}: ${each.help} ${each.nodes.slice(0, 3).map(node => node.html)}`)
          .join())
      """;

  /** What does not fit on a phone, as text. */
  private static final String NARROW =
      """
      () => {
        const wide = document.documentElement.scrollWidth - innerWidth;
        return (wide > 0 ? ` is ${wide} px too wide` : '')
          + [...document.querySelectorAll('td[data-label]')].filter(each => each.offsetHeight > 0
              && !each.innerText.trim() && !each.querySelector('svg, progress, button')
              && getComputedStyle(each, '::before').content !== 'none')
            .map(each => ' ' + each.dataset.label + ' is empty').join()
      }
      """;

  private static final String FLOW =
      "{\"kind\": \"workflow\", \"steps\": {\"a\": {\"design\": \"hello\"}, \"b\": {\"kind\":"
          + " \"human\", \"after\": [\"a\"]}}}";

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
    PostgresDesignStore store = new PostgresDesignStore(testDatabase.dataSource());
    store.put("hello", "command", "{\"kind\": \"command\", \"command\": [\"a\"]}", "ann");
    store.put("hello", "command", "{\"kind\": \"command\", \"command\": [\"b\"]}", "ann");
    database.run(
        "SELECT holdfast.put_schedule('nightly', 'ann', cron => '0 3 * * *', design => 'hello')");
    long asks = queue.ask(Question.of("which colour?", List.of("red", "blue")));
    queue.succeed(queue.enqueue(), queue.claim());
    queue.fail(queue.enqueue(), queue.claim(), Category.CODE_ERROR);
    store.put("flow", "workflow", FLOW, "ann");
    database.run("SELECT holdfast.enqueue_ticket(design => 'flow', queue => 'default')");
    long flow = database.number("SELECT max(id) FROM holdfast.tickets");
    database.run("SELECT holdfast.set_limit('queue:default', 'ann', concurrent => 5)");
    database.run("SELECT holdfast.enqueue_batch('[{\"kind\": \"a\"}]', 'ann', 'prices')");
    database.run("SELECT holdfast.start_release('ann', 1, '{10,0}', ids => ARRAY[?])", held);
    queue.enqueue();
    queue.claim(2);
    database.run("SELECT holdfast.roll_up_figures('0')");
    paths = new ArrayList<>(Arrays.stream(Section.values()).map(Section::path).toList());
    paths.addAll(
        List.of(
            "/?window=7d",
            "/group?fingerprint=&category=",
            "/tickets?state=on_hold",
            "/tickets?state=needs_review",
            "/enqueue",
            "/enqueue?again=" + held,
            "/login",
            "/tickets?state=nonsense",
            "/tickets/" + held,
            "/tickets/" + asks,
            "/tickets/" + flow,
            "/design?name=hello",
            "/runs/none"));
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

  @Test
  @DisplayName(
      "axe finds nothing serious on any page, nor in the dark colors of any; on a phone no page is"
          + " wider than the screen, and no label stands without a value")
  void everyPage() {
    Page page = browsers.page();
    // Each page finds it there: it is large to be sent with each.
    page.addInitScript(AxeBuilder.getAxeScript());
    List<String> all = new ArrayList<>();
    for (String path : paths) {
      page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
      page.setViewportSize(1280, 720);
      page.navigate(server.url(path));
      all.add(path + page.evaluate(AXE, Map.of()));
      page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
      all.add(path + page.evaluate(AXE, Map.of("runOnly", COLORS)));
      page.setViewportSize(390, 800);
      all.add(path + page.evaluate(NARROW));
    }
    assertThat(all)
        .containsExactlyElementsOf(
            paths.stream().flatMap(path -> Stream.of(path, path, path)).toList());
    page.navigate(server.url("/providers"));
    assertThat(page.content()).contains("gpt-5*").doesNotContain(ConsoleServer.KEY);
  }
}
