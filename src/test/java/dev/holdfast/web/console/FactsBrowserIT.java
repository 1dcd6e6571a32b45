package dev.holdfast.web.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.postgres.engine.PostgresOutputLog;
import dev.holdfast.queue.output.OutputChunk;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.tool.ToolReply;
import dev.holdfast.web.ConsoleServer;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the pages show of jobs, designs, providers and workers, and what they keep for people. */
@Tag("slow")
@WithDatabase
class FactsBrowserIT extends ConsoleInBrowser {
  private static void print(
      PostgresOutputLog log, long id, long lease, int from, int piece, String text) {
    int to = from + text.length();
    log.append(List.of(new OutputChunk(id, lease, OutputChunk.STDOUT, from, to, piece, text)));
  }

  @Test
  @DisplayName(
      "22.6: a job's output comes to its page while it runs, nobody loads it again; it stays when"
          + " the job has ended, and the page asks no more")
  void output() {
    TestQueue commands = new TestQueue(TestQueue.on(database).queue(), database, "command");
    PostgresOutputLog log = new PostgresOutputLog(testDatabase.dataSource(), "holdfast");
    long id = commands.enqueue();
    long lease = commands.claim();
    go("/tickets/" + id);
    assertThat(page.locator("#output")).hasCount(0);
    print(log, id, lease, 0, 1, "reading <b>\n");
    assertThat(page.locator("#stdout")).hasText("reading <b>\n");
    assertThat(page.locator("#output h2")).containsText("of attempt 1, which runs");
    print(log, id, lease, 12, 2, "all is read\n");
    assertThat(page.locator("#stdout")).hasText("reading <b>\nall is read\n");
    commands.succeed(id, lease);
    assertThat(page.locator("h1 .state")).hasText("needs review");
    assertThat(page.locator("#stdout")).hasText("reading <b>\nall is read\n");
    assertThat(page.locator("#output h2")).not().containsText("which runs");
    assertThat(page.locator("#live"))
        .not()
        .hasAttribute(
            "data-poll", Pattern.compile(".*"), new LocatorAssertions.HasAttributeOptions());
  }

  @Test
  @DisplayName(
      "22.6: a page that renews itself does not throw its reader back: the end of what grows stays"
          + " in view, the keyboard stays at its link, and at a button updates wait")
  void readerDuringRenewal() {
    TestQueue commands = new TestQueue(TestQueue.on(database).queue(), database, "command");
    PostgresOutputLog log = new PostgresOutputLog(testDatabase.dataSource(), "holdfast");
    long id = commands.enqueue();
    long lease = commands.claim();
    print(log, id, lease, 0, 1, "line\n".repeat(100));
    go("/tickets/" + id);
    page.evaluate("document.getElementById('stdout').scrollTop = 100000");
    page.locator("nav.parts a").nth(1).focus();
    print(log, id, lease, 500, 2, "the newest\n");
    assertThat(page.locator("#stdout")).containsText("the newest");
    assertThat(
            page.evaluate(
                "(e => e.scrollHeight - e.scrollTop - e.clientHeight)"
                    + "(document.getElementById('stdout'))"))
        .isEqualTo(0);
    assertThat(page.locator("nav.parts a").nth(1)).isFocused();
    page.keyboard().press("Shift+Tab");
    assertThat(page.locator("nav.parts a").first()).isFocused();
    page.locator("#again").focus();
    page.keyboard().press("Shift+Tab");
    assertThat(page.locator("#live-state")).hasText("Updates wait until you have finished.");
    assertThat(page.locator("button[value=cancel]")).isFocused();
    commands.succeed(id, lease);
  }

  @Test
  @DisplayName(
      "22.2: what was written for a form that is refused, or whose login is over, is there again;"
          + " a form counts once, however fast it is pressed")
  void forms() {
    long id = tickets.hold("forms", "the disk of f is full");
    go("/tickets/" + id);
    page.locator("#guidance").fill("a long text");
    page.locator("#edit-payload summary").click();
    page.locator("#payload").fill("{broken");
    button("Release").first().click();
    assertThat(notice()).containsText("the payload is no JSON");
    assertThat(page.locator("#guidance")).hasValue("a long text");
    assertThat(page.locator("#payload")).isVisible();
    assertThat(page.locator("#payload")).hasValue("{broken");
    page.locator("#payload").fill("{}");
    page.context().clearCookies();
    button("Release").first().click();
    assertThat(page).hasURL(Pattern.compile("/login\\?next=%2Ftickets%2F" + id + "$"));
    go("/tickets/" + id);
    assertThat(page.locator("#payload")).hasValue("{}");

    List<Route> sent = new ArrayList<>();
    page.route("**/release", sent::add);
    page.waitForConsoleMessage(
        () ->
            page.evaluate(
                "const press = () => document.querySelector('#release button').click(); press();"
                    + " setTimeout(() => { press(); console.log('twice'); }, 100)"));
    page.waitForCondition(() -> !sent.isEmpty());
    sent.getFirst().resume();
    assertThat(notice()).containsText("Released #" + id + " with a new payload with your guidance");
    assertThat(sent).hasSize(1);
  }

  @Test
  @DisplayName(
      "22.8: what no event tells, as of a worker that came, is on an open page within half a"
          + " minute; an outage that is over goes from its top")
  void withoutEvent() {
    long id = tickets.hold("waits", "HTTP 503");
    database.run(
        "UPDATE holdfast.ticket_base SET hold_reason = 'provider_unavailable: outage' WHERE id = ?",
        id);
    database.run(
        "INSERT INTO holdfast.ticket_waits (ticket_id, lease_no, kind, scopes, words)"
            + " SELECT id, fence, 'outage', '{away/k}', 'the provider'"
            + " FROM holdfast.ticket_base WHERE id = ?",
        id);
    database.run(
        "INSERT INTO holdfast.provider_cooldowns (provider, key_id, until, reason, detail,"
            + " reported_by, told_at) VALUES ('away', 'k', now() + interval '1 hour', 'outage',"
            + " 'HTTP 503', 'w', now())");
    page.clock().install();
    go("/workers");
    page.evaluate("document.querySelector('[data-live]').dataset.before = 1");
    assertThat(page.locator("#outages")).containsText("away has not answered since");
    assertThat(page.locator("[data-live]:not([data-before])")).isVisible();
    page.clock().runFor(5_000); // so that nothing from before is still to be told
    database.run(
        "INSERT INTO holdfast.workers (id, host, pid, version, kinds, concurrency, state) VALUES"
            + " ('late-1', 'h', 17, '0.1.0', '{agent}', 100, 'running')");
    page.clock().runFor(31_000);
    assertThat(page.locator("#live")).containsText("late-1");
    database.run("DELETE FROM holdfast.provider_cooldowns");
    assertThat(page.locator("#outages")).not().containsText("away");
  }

  @Test
  @DisplayName(
      "22.7: a long ticket's page has links to its parts, folds long tool output, and marks what"
          + " changed within the lines of a diff; what somebody unfolded or folded stays so when"
          + " the page renews itself, which waits while a button is held down")
  void longTicket() {
    TestQueue queue = TestQueue.on(database);
    long id = queue.enqueue();
    long lease = queue.claim();
    tickets.journal(id, lease, 1, new JournalEntry.Said(Input.task("Mend it.")), "said");
    tool(
        id,
        lease,
        2,
        IntStream.range(0, 200).mapToObj(i -> "line " + i).collect(Collectors.joining("\n")));
    tool(
        id,
        lease,
        3,
        "--- a/cart.js\n+++ b/cart.js\n@@ -1,2 +1,2 @@\n function sum() {\n-  return old total;\n"
            + "+  return new total;\n");
    go("/tickets/" + id);

    List<Locator> parts = page.locator("nav.parts a").all();
    assertThat(parts).hasSizeGreaterThan(3);
    for (Locator part : parts) {
      assertThat(page.locator(String.valueOf(part.getAttribute("href")))).hasCount(1);
    }
    Locator folded = page.locator("#transcript details:not([open]):has-text('line 0')");
    assertThat(folded.locator("pre")).isHidden();
    toggle("line 0");
    assertThat(page.locator("#transcript details[open] pre:has-text('line 199')")).isVisible();
    toggle("1 file changed");
    page.evaluate("document.querySelector('[data-live]').dataset.before = 1");
    database.run("SELECT holdfast.assign_ticket(?, 'bob', 'ann')", id);
    assertThat(page.locator("[data-live]:not([data-before])")).isVisible();
    assertThat(page.locator("#transcript details[open] pre:has-text('line 199')")).isVisible();
    assertThat(page.locator("#transcript .diff h4")).isHidden();
    toggle("1 file changed");
    assertThat(page.locator("#transcript .diff h4")).hasText(Pattern.compile("cart.js \\+1 .1"));
    assertThat(page.locator("#transcript .diff b")).hasText(new String[] {"old", "new"});
    page.locator("#transcript summary:has-text('1 file changed')").hover();
    page.mouse().down();
    database.run("SELECT holdfast.assign_ticket(?, 'eve', 'ann')", id);
    assertThat(page.locator("#live-state")).hasText("Updates wait until you have finished.");
    page.mouse().up();
    assertThat(page.locator("#transcript .diff h4")).isHidden();
  }

  /** In one step: between finding it and pressing it the page may have renewed itself. */
  private void toggle(String words) {
    page.evaluate(
        "words => [...document.querySelectorAll('#transcript summary')]"
            + ".find(each => each.textContent.includes(words)).click()",
        words);
  }

  private void tool(long id, long lease, int seq, String output) {
    ToolCall call = new ToolCall("c" + seq, "run_command", "{}");
    ToolReply reply = new ToolReply(call, ToolReply.Outcome.OK, output, 1);
    tickets.journal(id, lease, seq, new JournalEntry.ToolFinished(1, reply), "tool_finished");
  }

  @Test
  @DisplayName(
      "22.5: designs with versions, tickets, success and cost; providers with keys by hash, health,"
          + " models and prices; workers with version, kinds and slots over time")
  void facts() {
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('facts', 1,"
            + " 'manual', '{}'), ('facts', 2, 'manual', '{}')");
    database.run(
        "INSERT INTO holdfast.tickets (design, state) VALUES ('facts', 'done'), ('facts', 'done'),"
            + " ('facts', 'done'), ('facts', 'on_hold')");
    database.run(
        "INSERT INTO holdfast.model_figures (span_minutes, starts_at, provider, model, design,"
            + " answers, tokens_in, tokens_out, cost_usd) VALUES (120, now(), 'openai',"
            + " 'gpt-5-mini', 'facts', 7, 5200, 610, 1.5)");
    database.run(
        "INSERT INTO holdfast.workers (id, host, pid, version, kinds, concurrency, state) VALUES"
            + " ('facts-1', 'h', 17, '0.1.0', '{agent,command}', 100, 'running')");
    database.run(
        "INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at,"
            + " attempt, outcome, worker_id) SELECT max(id), -1, now() - interval '5 minutes',"
            + " now() - interval '3 minutes', 1, 'succeeded', 'facts-1' FROM holdfast.tickets");

    go("/designs");
    assertThat(page.locator("tr:has-text('facts') td"))
        .hasText(new String[] {"facts", "manual", "2", "2", "4", "75 %", "$1.50"});
    go("/providers");
    Locator provider = page.locator("#provider-openai");
    assertThat(provider).containsText("gpt-5-mini 7 answers, 5,810 tokens, $1.50");
    assertThat(provider).containsText("gpt-5* $1.25 in, $10 out");
    assertThat(provider.locator("code")).hasText(Pattern.compile("^[0-9a-f]{12}$"));
    assertThat(provider.locator(".state")).hasText("in order");
    assertThat(page.content()).doesNotContain(ConsoleServer.KEY);
    go("/workers");
    Locator worker = page.locator("tr:has-text('facts-1')");
    assertThat(worker).containsText("0.1.0");
    assertThat(worker).containsText("agent, command");
    assertThat(worker.locator("svg title"))
        .hasText("at most 1.0 of 100 slots taken in a minute of the last 30");
  }
}
