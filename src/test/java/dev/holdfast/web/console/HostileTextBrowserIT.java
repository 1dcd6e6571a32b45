package dev.holdfast.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.holdfast.postgres.inbox.PostgresDesignStore;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ConsoleServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@WithDatabase
class HostileTextBrowserIT {
  /**
   * Ends a tag, an attribute, a script and a comment, and would set {@code window.hacked}; then
   * turns around what follows.
   */
  private static final String SCRIPT =
      "\"'></textarea></pre></title><script>window.hacked=1</script><img src=x"
          + " onerror=\"window.hacked=2\"><svg onload=window.hacked=3>{{7*7}}${7*7}\u202e";

  private static final String JSON_SCRIPT = SCRIPT.replace("\"", "\\\"");

  private final TestDatabase testDatabase;
  private final TicketDatabase database;
  private final TestQueue queue;

  HostileTextBrowserIT(TestDatabase testDatabase) {
    this.testDatabase = testDatabase;
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
  }

  /** In every field that somebody else writes. */
  private List<String> poison() {
    SampleTickets tickets = new SampleTickets(database);
    List<String> paths = new ArrayList<>();
    long held = tickets.hold(SCRIPT, SCRIPT);
    database.run(
        "UPDATE holdfast.ticket_base SET hold_reason = ?, unique_key = ?, error_fingerprint = ?,"
            + " payload = to_jsonb(?::text) WHERE id = ?",
        SCRIPT,
        SCRIPT,
        SCRIPT,
        SCRIPT,
        held);
    database.run("SELECT holdfast.assign_ticket(?, ?, ?)", held, cut(SCRIPT), SCRIPT);
    long review =
        tickets.review(
            SCRIPT,
            "{\"diff\": \"--- a/%s\\n+++ b/%s\\n@@ -1 +1 @@\\n-%s\\n+%s\\n\", \"%s\": \"%s\\n\"}"
                .replace("%s", JSON_SCRIPT));
    database.run("SELECT holdfast.reject_ticket(?, ?, ?)", review, SCRIPT, SCRIPT);
    tickets.review(SCRIPT, "{\"text\": \"" + JSON_SCRIPT + "\\nmore\", \"n\": 1}");
    long running = queue.enqueue();
    long lease = queue.claim();
    database.tell(running, lease, new SessionEvent.AutoRetryStart(2, 3, 600_000, SCRIPT));
    database.run(
        "INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry) VALUES (?, 1,"
            + " ?, 'said', jsonb_build_object('entry', 'said', 'input', jsonb_build_object('key',"
            + " ?::text, 'text', ?::text))), (?, 2, ?, ?::text, '{}')",
        running,
        lease,
        SCRIPT,
        SCRIPT,
        running,
        lease,
        SCRIPT);
    database.run(
        "INSERT INTO holdfast.workers (id, host, pid, version, queues, kinds, concurrency, state)"
            + " VALUES (?, ?, 1, ?, ARRAY[?], ARRAY[?], 1, 'running')",
        SCRIPT,
        SCRIPT,
        SCRIPT,
        SCRIPT,
        SCRIPT);
    database.run(
        "INSERT INTO holdfast.queues (name, paused_at, paused_by) VALUES ('poison', now(), ?)",
        SCRIPT);
    database.run(
        "INSERT INTO holdfast.schedules (name, cron, zone, kind, title, payload, problem,"
            + " paused_at, paused_by, updated_by) VALUES ('poison', ?, ?, ?, ?, to_jsonb(?::text),"
            + " ?, now(), ?, ?)",
        SCRIPT,
        SCRIPT,
        SCRIPT,
        SCRIPT,
        SCRIPT,
        SCRIPT,
        SCRIPT,
        SCRIPT);
    database.run("SELECT holdfast.open_batch(?, ?)", SCRIPT, SCRIPT);
    database.run(
        "INSERT INTO holdfast.releases (created_by, selection, steps, guidance, keep_retries,"
            + " fresh, total, reason) VALUES (?, to_jsonb(?::text), '{1}', ?, false, false, 1, ?)",
        SCRIPT, SCRIPT, SCRIPT, SCRIPT);
    new PostgresDesignStore(testDatabase.dataSource())
        .put("poison", "command", "{\"command\": [\"" + JSON_SCRIPT + "\"]}", SCRIPT);
    String encoded = URLEncoder.encode(SCRIPT, StandardCharsets.UTF_8);
    Arrays.stream(Section.values()).map(Section::path).forEach(paths::add);
    paths.addAll(
        List.of(
            "/inbox?queue=" + encoded + "&category=" + encoded + "&assignee=" + encoded,
            "/group?fingerprint=" + encoded + "&category=system_error",
            "/group?fingerprint=" + encoded + "&category=" + encoded,
            "/tickets?state=on_hold",
            "/tickets?q=" + encoded + "&state=" + encoded + "&from=" + encoded + "&kind=" + encoded,
            "/tickets/" + held,
            "/tickets/" + review,
            "/enqueue?again=" + review,
            "/tickets/" + running,
            "/tickets/" + encoded,
            "/design?name=poison",
            "/search?q=" + encoded,
            "/runs/" + encoded.replace("%2F", "")));
    return paths;
  }

  private static String cut(String text) {
    return text.substring(0, 100);
  }

  @Test
  @DisplayName(
      "a script in any field is text on every page, and none runs; no text turns another around")
  void scripts() {
    try (Browsers browsers = Browsers.start();
        ConsoleServer server = ConsoleServer.open(testDatabase.dataSource())) {
      Page page = browsers.page();
      List<String> errors = new ArrayList<>();
      page.onPageError(errors::add);
      int shown = 0;
      for (String path : poison()) {
        page.navigate(server.url(path));
        assertThat(page.evaluate("typeof window.hacked")).as(path).isEqualTo("undefined");
        assertThat(page.locator("script:not([src]), img, svg[onload], [onerror]").count())
            .as("%s: elements made of somebody's text", path)
            .isZero();
        assertThat(page.evaluate("document.body.innerText").toString())
            .as("%s: text that turns others around", path)
            .doesNotContain("\u202e");
        shown += page.content().contains("window.hacked=1") ? 1 : 0;
      }
      assertThat(shown).as("pages that showed the text as text").isGreaterThan(10);
      assertThat(errors).isEmpty();
    }
  }
}
