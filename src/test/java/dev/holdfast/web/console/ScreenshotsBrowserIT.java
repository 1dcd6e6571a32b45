package dev.holdfast.web.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import dev.holdfast.failure.ErrorTitle;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.postgres.inbox.PostgresDesignStore;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.tool.ToolReply;
import dev.holdfast.web.ConsoleServer;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Makes the pictures of the documentation: {@code -Dconsole.screenshots=docs/images}. */
@WithDatabase
@EnabledIfSystemProperty(named = "console.screenshots", matches = ".+")
class ScreenshotsBrowserIT {
  private final TestDatabase testDatabase;
  private final TicketDatabase database;

  ScreenshotsBrowserIT(TestDatabase testDatabase) {
    this.testDatabase = testDatabase;
    this.database = new TicketDatabase(testDatabase);
  }

  private void hold(int count, String kind, String title, String category, String error) {
    database.run(
        """
        INSERT INTO holdfast.tickets (kind, queue, title, state, error, error_category,
          error_fingerprint, hold_reason, held_at)
        SELECT ?, CASE n % 3 WHEN 0 THEN 'imports' ELSE 'default' END, ? || ' ' || n, 'on_hold', ?, ?,
          md5(?), 'Max retries exceeded: ' || ?, now() - (n * n % 1300) * interval '1 minute'
        FROM generate_series(1, ?) n
        """,
        kind, title, error, category, error, category, count);
    // As the worker that meets the error writes it.
    database.run(
        "UPDATE holdfast.ticket_base SET error_title = ?, attempt_count = 3 WHERE error = ?",
        ErrorTitle.of(error),
        error);
  }

  private long agent() {
    TestQueue queue = TestQueue.on(database);
    long id = queue.enqueue();
    database.run(
        "UPDATE holdfast.ticket_base SET title = 'Fix the failing check in orders' WHERE id = ?",
        id);
    long lease = queue.claim();
    Target target = new Target("anthropic", "claude");
    SampleTickets tickets = new SampleTickets(database);
    ToolCall call = new ToolCall("c1", "run_command", "{\"command\": \"sh check.sh\"}");
    tickets.journal(
        id,
        lease,
        1,
        new JournalEntry.Said(Input.task("sh check.sh fails. Find out why, and fix it.")),
        "said");
    tickets.journal(
        id,
        lease,
        2,
        new JournalEntry.Answered(
            1,
            1,
            target,
            List.of(),
            new Message.Assistant("I run the check first.", List.of(call)),
            StopReason.TOOL_CALLS,
            new Usage(1_800, 0, 0, 40),
            new BigDecimal("0.0063"),
            true,
            null),
        "answered");
    tickets.journal(
        id,
        lease,
        3,
        new JournalEntry.ToolFinished(
            1,
            new ToolReply(
                call,
                ToolReply.Outcome.OK,
                "check.sh: line 7: total: not a number\nexit code 2",
                1)),
        "tool_finished");
    database.tell(
        id,
        lease,
        new SessionEvent.AutoRetryStart(2, 3, 60_000, "529 overloaded_error: Overloaded"));
    return id;
  }

  private void fill() {
    hold(
        42,
        "command",
        "import of orders, part",
        "system_error",
        "exit code 1 from sh import.sh\n/data/orders.csv: No such file or directory");
    hold(
        17,
        "agent",
        "answer the letter of customer",
        "api_error",
        "401 authentication_error: invalid x-api-key");
    hold(9, "agent", "translate page", "transient", "429 rate_limit_error: slow down");
    hold(
        4,
        "agent",
        "mend the build of branch",
        "code_error",
        "TypeError: cannot read properties of undefined (reading 'total')\n"
            + "    at sum (cart.js:17)");
    new SampleTickets(database)
        .review(
            "Fix the total of empty carts",
            "{\"patch\": \"diff --git a/cart.js b/cart.js\\n"
                + "--- a/cart.js\\n"
                + "+++ b/cart.js\\n"
                + "@@ -15,4 +15,4 @@\\n"
                + " function sum(cart) {\\n"
                + "-  return cart.items.total;\\n"
                + "+  return cart.items ? cart.items.total : 0;\\n"
                + " }\\n"
                + "\", \"tests\": \"41 passed\"}");
    PostgresDesignStore store = new PostgresDesignStore(testDatabase.dataSource());
    store.put("import", "command", "{\"command\": [\"sh\", \"import.sh\"]}", "ann");
    store.put(
        "import", "command", "{\"command\": [\"sh\", \"import.sh\"], \"timeout\": \"5m\"}", "bob");
    database.run(
        "INSERT INTO holdfast.workers (id, host, pid, version, kinds, concurrency, state) VALUES"
            + " ('host-1-4f2a', 'host-1', 17, '0.1.0', '{agent,command}', 100, 'running')");
  }

  /** A day of two queues, busier by day than by night. */
  private void figures() {
    database.run(
        """
        INSERT INTO holdfast.ticket_figures (span_minutes, starts_at, event, category, queue, design, n)
        SELECT 15, date_bin('15 minutes', now(), '2000-01-01 00:00Z') - i * interval '15 minutes',
          e.event, e.category, e.queue, '', GREATEST(e.scale * (1.15 + sin((i + 20) / 15.3)) * (1 + 0.3 * sin(i * 2.7 + e.scale)), 0)::int
        FROM generate_series(0, 95) i, (VALUES ('succeeded', '', 'default', 62), ('succeeded', '', 'imports', 21),
          ('failed', 'transient', 'default', 5), ('failed', 'api_error', 'default', 2), ('failed', 'system_error', 'imports', 2),
          ('failed', 'code_error', 'default', 1), ('held', '', 'default', 1), ('held', '', 'imports', 1),
          ('released', '', 'default', 1)) AS e (event, category, queue, scale)
        WHERE e.event IN ('succeeded') OR (i * 7 + e.scale * 3) % 5 <> 0
        """);
    database.run(
        """
        INSERT INTO holdfast.model_figures (span_minutes, starts_at, provider, model, design, answers, tokens_in, tokens_out, cost_usd)
        SELECT 15, date_bin('15 minutes', now(), '2000-01-01 00:00Z') - i * interval '15 minutes', m.provider, m.model, m.design, n,
          n * 5200, n * 610, round(n * m.price, 4)
        FROM (VALUES ('anthropic', 'claude-opus', 'mend-builds', 4, 0.052), ('anthropic', 'claude-haiku', 'answer-letters', 9, 0.006),
          ('openai', 'gpt-5-mini', 'translate', 7, 0.004)) AS m (provider, model, design, scale, price),
          generate_series(0, 95) i,
          LATERAL (SELECT GREATEST(m.scale * (1.1 + sin((i + 20) / 15.3)) * (1 + 0.4 * sin(i * 1.9 + m.scale)), 0)::int AS n) x
        WHERE n > 0
        """);
    database.run(
        """
        INSERT INTO holdfast.model_figures (span_minutes, starts_at, provider, model, design, answers, tokens_in, tokens_out, cost_usd)
        SELECT 120, date_bin('2 hours', now(), '2000-01-01 00:00Z'), provider, model, CASE design WHEN 'translate' THEN 'import' ELSE design END,
          sum(answers), sum(tokens_in), sum(tokens_out), sum(cost_usd)
        FROM holdfast.model_figures WHERE span_minutes = 15 GROUP BY 3, 4, 5
        """);
    database.run(
        """
        INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id)
        SELECT (SELECT min(id) FROM holdfast.tickets), -i, now() - i * interval '7 seconds' - (40 + 30 * sin(i / 9.0)) * interval '1 second',
          now() - i * interval '7 seconds', i, 'succeeded', 'host-1-4f2a'
        FROM generate_series(1, 240) i
        """);
    database.run(
        "INSERT INTO holdfast.tickets (kind, design_id, title, state, result, completed_at) SELECT"
            + " 'command', d.id, 'import of orders, part ' || n, 'needs_review', '{\"rows\": 412}',"
            + " now() FROM holdfast.designs d, generate_series(1, 7) n WHERE d.name = 'import' AND"
            + " d.version = 2");
    database.run("UPDATE holdfast.figures_cursor SET counted_until = now() - interval '5 seconds'");
    database.run(
        "SELECT holdfast.enqueue_ticket('import', queue => 'imports') FROM generate_series(1, 23)");
    database.run(
        "INSERT INTO holdfast.provider_cooldowns (provider, until, reason, detail, http_status,"
            + " reported_by) VALUES ('openai', now() + interval '4 minutes', 'rate_limit',"
            + " 'Rate limit reached', 429, 'host-1')");
  }

  @Test
  @DisplayName("pictures of the pages")
  void pictures() {
    Path directory = Path.of(String.valueOf(System.getProperty("console.screenshots")));
    fill();
    long running = agent();
    figures();
    try (Browsers browsers = Browsers.start();
        ConsoleServer server = ConsoleServer.open(testDatabase.dataSource())) {
      Page page = browsers.page(new Browser.NewContextOptions().setViewportSize(1100, 640));
      record Picture(String name, String path) {}
      for (Picture each :
          List.of(
              new Picture("inbox", "/inbox"),
              new Picture("tickets", "/tickets"),
              new Picture("ticket", "/tickets/" + running),
              new Picture("review", "/review?design=import"),
              new Picture("queues", "/queues"),
              new Picture("workers", "/workers"),
              new Picture("providers", "/providers"),
              new Picture("designs", "/design?name=import"))) {
        database.run("UPDATE holdfast.workers SET heartbeat_at = now()");
        page.navigate(server.url(each.path()));
        page.screenshot(
            new Page.ScreenshotOptions().setPath(directory.resolve(each.name() + ".png")));
      }
      page.navigate(server.url("/inbox"));
      page.locator(".groups a").first().click();
      page.screenshot(new Page.ScreenshotOptions().setPath(directory.resolve("group.png")));
      page.navigate(server.url("/designs"));
      page.screenshot(new Page.ScreenshotOptions().setPath(directory.resolve("all-designs.png")));
      page.setViewportSize(390, 1200);
      page.navigate(server.url("/tickets/" + running));
      page.screenshot(new Page.ScreenshotOptions().setPath(directory.resolve("phone.png")));
      page.setViewportSize(1280, 980);
      page.navigate(server.url("/"));
      page.screenshot(new Page.ScreenshotOptions().setPath(directory.resolve("overview.png")));
    }
  }
}
