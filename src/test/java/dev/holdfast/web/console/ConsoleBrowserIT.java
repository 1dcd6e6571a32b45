package dev.holdfast.web.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import dev.holdfast.Holdfast;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.schema.Question;
import dev.holdfast.session.approval.ApprovalStore;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import dev.holdfast.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@WithDatabase
class ConsoleBrowserIT extends ConsoleInBrowser {
  /** What is done to many tickets may take a while. */
  private static final LocatorAssertions.ContainsTextOptions SLOW =
      new LocatorAssertions.ContainsTextOptions().setTimeout(60_000);

  @Test
  @DisplayName(
      "22.2: Enter in a form of several actions does none of them, such as the first one, whatever"
          + " stands in the field")
  void enter() {
    long result = tickets.review("enter", "1");
    go("/tickets?state=needs_review");
    page.locator("[name=id][value^='" + result + "@']").check();
    page.locator("#assignee").fill("bob");
    page.locator("#assignee").press("Enter");
    button("Assign selected").click();
    assertThat(notice()).containsText("Assigned");
    assertThat(database.state(result)).isEqualTo("needs_review");
    tickets.hold("enter", "boom of enter");
    go(
        "/group?category=system_error&fingerprint="
            + database.value(
                "SELECT error_fingerprint FROM holdfast.tickets WHERE error LIKE '%boom of"
                    + " enter%'"));
    page.locator("#bulk [name=id]").first().check();
    page.locator("#assignee").fill("bob");
    page.locator("#assignee").press("Enter");
    button("Assign").first().click();
    assertThat(notice()).containsText("Assigned");
    long ready = database.enqueue("enter");
    go("/tickets/" + ready);
    page.locator("#reason").fill("wait for legal");
    page.locator("#reason").press("Enter");
    button("Hold").click();
    assertThat(notice()).containsText("#" + ready + " is on hold");
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.ticket_assignments WHERE ticket_id = ?", ready))
        .isZero();
  }

  @Test
  @DisplayName(
      "A53, A54, A55: from a failing worker over the inbox to a release with guidance, and the next"
          + " attempt, which is told it, finishes")
  void inboxFlow() {
    try (Worker worker =
        Holdfast.worker(server.dataSource())
            .handler(
                "flow",
                context ->
                    context.guidance().isEmpty()
                        ? HandlerResult.held(
                            "Which file?", ErrorReport.ofText("no such file: /data/x.csv"))
                        : HandlerResult.done("{\"ok\": true}"))
            .start()) {
      go("/inbox");
      long id = database.enqueue("flow");
      // It comes by itself: nobody loads the page again.
      page.locator(".groups a:has-text('no such file: /data/x.csv')").click();
      page.locator("#bulk a").first().click();
      assertThat(page.locator("#sentence")).containsText("Which file?");
      page.locator("#guidance").fill("it is in /data/y.csv");
      button("Release").first().click();
      assertThat(notice()).containsText("Released #" + id + " with your guidance");
      assertThat(page.locator("h1 .state")).hasText("done");
      assertThat(page.locator("blockquote")).containsText("it is in /data/y.csv");
      assertThat(worker.id()).isNotBlank();
    }
  }

  private static String second(TicketContext context) {
    return Objects.requireNonNull(context.guidance().get(1).answer()).value();
  }

  @Test
  @DisplayName(
      "issue 22: a job's questions are forms, of choices, of a plain schema's fields and of words,"
          + " and the job is given the answers with their types")
  void questions() {
    List<Question> questions =
        List.of(
            Question.of("which <colour>?", List.of("red", "blue")),
            Question.parse(
                "{\"ask\": \"how many?\", \"schema\": {\"type\": \"object\", \"properties\":"
                    + " {\"copies\": {\"type\": \"integer\"}, \"staple\": {\"type\": \"boolean\"},"
                    + " \"size\": {\"enum\": [\"a4\", \"a5\"], \"type\": \"string\"}},"
                    + " \"required\": [\"copies\"]}}"),
            Question.of("what else?"));
    try (Worker worker =
        Holdfast.worker(server.dataSource())
            .handler(
                "asks",
                context ->
                    context.guidance().size() < questions.size()
                        ? HandlerResult.asks(questions.get(context.guidance().size()))
                        : HandlerResult.done(second(context)))
            .start()) {
      long id = database.enqueue("asks");
      go("/tickets/" + id);
      assertThat(page.locator("#question")).containsText("which <colour>?");
      page.locator("#answer-form label:has-text('blue')").click();
      button("Answer").click();
      assertThat(notice()).containsText("Answered #" + id);
      page.locator("#field-copies").fill("2");
      page.locator("#answer-form label:has-text('staple')").click();
      page.locator("#field-size").selectOption("a5");
      button("Answer").click();
      page.locator("textarea#answer").fill("nothing");
      button("Answer").click();
      assertThat(page.locator("h1 .state")).hasText("done");
      assertThat(page.locator("blockquote").first()).containsText("blue");
      assertThat(database.ticket(id))
          .containsEntry("result", "{\"size\": \"a5\", \"copies\": 2, \"staple\": true}");
      assertThat(worker.id()).isNotBlank();
    }
  }

  @Test
  @DisplayName(
      "an account that a person has put in order is called again, and what it held is released")
  void mends() {
    long id = tickets.hold("mends", "the key was refused");
    database.run(
        "INSERT INTO holdfast.provider_cooldowns (provider, key_id, until, reason, detail,"
            + " reported_by) VALUES ('open''ai', 'abc', 'infinity', 'auth', 'Incorrect API key',"
            + " 'w'), ('open''ai', 'def', 'infinity', 'auth', 'Incorrect API key', 'w')");
    database.run(
        "UPDATE holdfast.ticket_base SET hold_reason = 'account_unavailable: auth' WHERE id = ?",
        id);
    database.run(
        "INSERT INTO holdfast.ticket_waits (ticket_id, lease_no, kind, scopes, words)"
            + " SELECT id, fence, 'account', ARRAY['open''ai/abc'], 'the account'"
            + " FROM holdfast.ticket_base WHERE id = ?",
        id);
    go("/providers");
    assertThat(page.locator("code:has-text('mend_provider')").first())
        .containsText(Pattern.compile("mend_provider\\('open''ai', '.+', 'abc'\\)"));
    button("It is in order again").first().click();
    assertThat(notice()).containsText("open'ai is called again. Held tickets released: 1;");
    assertThat(tickets.state(id)).isEqualTo("ready");
    assertThat(
            database.column(
                "SELECT channel FROM holdfast.ticket_activity WHERE action = 'provider_mended'"))
        .containsExactly("console");
    assertThat(database.column("SELECT key_id FROM holdfast.provider_cooldowns"))
        .containsExactly("def");
    // Somebody else was faster, and the page does not know it yet.
    page.route(
        "**/providers",
        route -> {
          if (route.request().headers().containsKey("hx-request")) {
            route.abort();
          } else {
            route.resume();
          }
        });
    database.run("DELETE FROM holdfast.provider_cooldowns");
    button("It is in order again").click();
    assertThat(notice()).containsText("nothing of the provider \"open'ai\" is closed");
  }

  @Test
  @DisplayName(
      "all of a group are released at once; one that somebody else released meanwhile is named, and"
          + " who did it")
  void bulkRelease() {
    List<Long> ids = tickets.hold(42, "bulk", "the disk of b is full");
    go("/inbox");
    assertThat(page.locator(".groups tr:has-text('the disk of b is full') svg title"))
        .hasText(Pattern.compile("42 .*24 hours"));
    page.locator(".groups a:has-text('the disk of b is full')").click();
    assertThat(page.locator("#bulk tbody tr")).hasCount(42);
    String group = page.url();
    // A page on which something is selected does not fetch itself anew.
    page.locator("[data-all]").check();
    database.run("SELECT holdfast.release_ticket(?, 'ann')", ids.get(16));
    page.locator("#guidance").fill("b has room again");
    button("Release selected").click();
    assertThat(notice()).containsText("Released 41 of 42");
    assertThat(notice()).containsText("#" + ids.get(16));
    assertThat(notice()).containsText("ann was the last to act on it");
    assertThat(tickets.guidance(ids.getFirst())).containsExactly("b has room again");
    button("Undo").click();
    assertThat(notice()).containsText("Took back 41");
    assertThat(tickets.state(ids.getFirst())).isEqualTo("on_hold");
    assertThat(tickets.guidance(ids.getFirst())).isEmpty();
    // A slow machine shows its progress on a page of its own.
    page.navigate(group);
    button("Release all").click();
    assertThat(notice()).containsText("Released 41 tickets");
    assertThat(tickets.state(ids.getLast())).isEqualTo("ready");
  }

  @Test
  @DisplayName(
      "22.1: after Release all, while its page stays open, the undo goes as soon as all have failed"
          + " again, and the page says so")
  void undoWhileThePageStaysOpen() {
    List<Long> ids = tickets.hold(3, "again", "the disk of c is full");
    go("/inbox");
    page.locator(".groups a:has-text('the disk of c is full')").click();
    button("Release all").click();
    assertThat(notice()).containsText("Released 3 tickets");
    assertThat(page.locator("#undo")).isVisible();
    failAgain(ids.subList(0, 2));
    assertThat(notice()).containsText("2 of them are on hold again.");
    assertThat(page.locator("#since")).containsText("of the 1 of 3 that no worker has claimed");
    failAgain(ids.subList(2, 3));
    assertThat(notice()).containsText("All of them are on hold again.");
    assertThat(page.locator("#undo")).hasCount(0);
    assertThat(notice()).hasClass("notice bad");
    assertThat(notice()).containsText("Released 3 tickets");
  }

  @Test
  @DisplayName(
      "22.1: a release of more tickets than a page could name is undone in one go; what a worker"
          + " has begun stays, and the page says how many that are")
  void undoMany() {
    tickets.hold(150, "many", "the disk of d is full");
    // Before whatever the other tests have let go.
    database.run("UPDATE holdfast.tickets SET priority = 9 WHERE error = 'the disk of d is full'");
    TestQueue manual = new TestQueue(TestQueue.on(database).queue(), database, "manual");
    go("/inbox");
    page.locator(".groups a:has-text('the disk of d is full')").click();
    button("Release all").click();
    assertThat(notice()).containsText("Released 150 tickets.", SLOW);
    assertThat(manual.claim(3)).hasSize(3);
    assertThat(page.locator("#since")).containsText("of the 147 of 150", SLOW);
    button("Undo").click();
    assertThat(notice())
        .containsText(
            "Took back 147 of 150; left alone what had begun already or was changed: 3"
                + " tickets.",
            SLOW);
    assertThat(notice()).containsText("it is in_progress by now");
    assertThat(page.locator("#undo")).hasCount(0);
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.tickets WHERE error = 'the disk of d is full' AND"
                    + " state = 'on_hold'"))
        .isEqualTo(147);
  }

  private void failAgain(List<Long> ids) {
    ids.forEach(
        id -> database.run("SELECT holdfast.hold_ticket(?, 'a worker', 'it failed again')", id));
  }

  @Test
  @DisplayName("5.4: a tool call that waits is shown with its effect, changed and approved")
  void approveCall() {
    TestQueue queue = TestQueue.on(database);
    long id =
        queue.park(
            new ApprovalStore.Asked(
                1, 1, "c1", "write_file", "{\"path\": \"a.txt\"}", "+<b>hello</b>", "h"));
    go("/tickets/" + id);
    assertThat(page.locator("form.call")).containsText("write_file");
    assertThat(page.locator("form.call pre")).hasText("+<b>hello</b>");
    page.locator("form.call textarea[name=arguments]").fill("{\"path\": ");
    button("Approve the call").click();
    assertThat(notice()).containsText("the arguments are no JSON");
    page.locator("form.call textarea[name=arguments]").fill("{\"path\": \"b.txt\"}");
    button("Approve the call").click();
    assertThat(notice()).containsText("write_file does not take that");
    page.locator("form.call textarea[name=arguments]")
        .fill("{\"path\": \"b.txt\", \"content\": \"hello\"}");
    button("Approve the call").click();
    assertThat(notice()).containsText("Approved write_file of #" + id + " with other arguments");
    assertThat(page.locator("form.call")).hasCount(0);
    assertThat(
            database.value(
                "SELECT edited_arguments::jsonb->>'path' FROM holdfast.tool_approvals WHERE"
                    + " ticket_id = ?",
                id))
        .isEqualTo("b.txt");
  }

  @Test
  @DisplayName(
      "a held ticket's payload is edited and its design brought up to date before its release; what"
          + " is no JSON is refused")
  void editPayload() {
    long id = tickets.hold("edit me", "bad address");
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('mail', 1,"
            + " 'manual', '{}'), ('mail', 2, 'manual', '{}')");
    database.run(
        "UPDATE holdfast.tickets t SET design_id = d.id FROM holdfast.designs d WHERE d.version = 1"
            + " AND d.name = 'mail' AND t.id = "
            + id);
    go("/tickets/" + id);
    page.locator("#edit-payload summary").click();
    page.locator("#payload").fill("{broken");
    button("Release").first().click();
    assertThat(notice()).containsText("the payload is no JSON");
    assertThat(tickets.state(id)).isEqualTo("on_hold");
    page.locator("#payload").fill("{\"to\": \"bob\"}");
    page.getByText("use version 2 of its design instead of 1").click();
    button("Release").first().click();
    assertThat(notice())
        .containsText("Released #" + id + " with a new payload and version 2 of its design");
    assertThat(database.value("SELECT design_version FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo("2");
    assertThat(database.value("SELECT payload->>'to' FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo("bob");
    button("Undo").click();
    assertThat(notice()).containsText("Took back 1");
    assertThat(tickets.state(id)).isEqualTo("on_hold");
  }

  @Test
  @DisplayName("a result with a diff is shown by file, is rejected with feedback, and approved")
  void review() {
    String diff =
        "diff --git a/one.txt b/one.txt\\n"
            + "--- a/one.txt\\n"
            + "+++ b/one.txt\\n"
            + "@@ -1,2 +1,2 @@\\n"
            + " same\\n"
            + "-old words\\n"
            + "+new words\\n"
            + "diff --git a/two.txt b/two.txt\\n"
            + "--- a/two.txt\\n"
            + "+++ b/two.txt\\n"
            + "@@ -1 +1 @@\\n"
            + "-x\\n"
            + "+y\\n";
    long bad = tickets.review("bad result", "{\"patch\": \"" + diff + "\", \"tests\": \"ok\"}");
    long good = tickets.review("good result", "{\"answer\": 42}");
    go("/review");
    Locator first = page.locator("#review-" + bad);
    assertThat(first.locator(".diff")).hasCount(2);
    assertThat(first.locator(".diff h4").first()).containsText("one.txt");
    assertThat(first.locator(".add").first()).hasText(Pattern.compile("\\+new words\\s*"));
    assertThat(first.locator(".del").first()).hasText(Pattern.compile("-old words\\s*"));
    button("Reject").nth(1).click();
    assertThat(notice()).containsText("say what should be different");
    page.locator("#feedback-" + bad).fill("keep the old words");
    page.locator("#review-" + bad + " button[value=reject]").click();
    assertThat(notice()).containsText("Rejected #" + bad);
    assertThat(tickets.guidance(bad)).containsExactly("keep the old words");
    page.locator("#review-" + good + " button[value=approve]").click();
    assertThat(notice()).containsText("Approved #" + good);
    assertThat(tickets.state(good)).isEqualTo("done");
  }

  @Test
  @DisplayName(
      "D36, D27: a running ticket shows 'Retrying (2/3) in N s', which counts down by itself, and a"
          + " button that aborts the retry")
  void countdown() {
    TestQueue queue = TestQueue.on(database);
    long id = queue.enqueue();
    long lease = queue.claim();
    go("/tickets/" + id);
    assertThat(page.locator("h1 .state")).hasText("in progress");
    database.tell(id, lease, new SessionEvent.AutoRetryStart(2, 3, 90_000, "overloaded"));
    Locator wait = page.locator("#retry-wait");
    // The page hears of it and shows it.
    assertThat(wait).containsText(Pattern.compile("Retrying \\(2/3\\) in \\d+ s"));
    String before = wait.locator("[data-until]").textContent();
    assertThat(wait.locator("[data-until]")).not().hasText(before);
    assertThat(page.locator("#sentence")).containsText("overloaded");
    page.locator("#abort-retry").click();
    assertThat(notice()).containsText("The retry of #" + id + " is being aborted");
    assertThat(
            database.column(
                "SELECT requested_by FROM holdfast.retry_aborts WHERE ticket_id = ?", id))
        .containsExactly("ann");
  }

  @Test
  @DisplayName("22.8: a ticket's page hears of whatever happens to it, by whatever name")
  void anyName() {
    long id = database.enqueue("manual");
    // As its stream opens the page asks anew, without any event.
    page.waitForResponse(
        answer -> answer.request().headers().containsKey("hx-request"), () -> go("/tickets/" + id));
    database.run("SELECT holdfast.log_activity(?, 'never_heard_of', 'ann')", id);
    assertThat(page.locator("#part-timeline")).containsText("never heard of");
  }

  @Test
  @DisplayName("with the keyboard alone: to the group, selected, released with guidance")
  void keyboard() {
    long id = tickets.hold("keys", "only keys can do this");
    go("/inbox");
    moveTo("only keys can do this");
    page.keyboard().press("Enter");
    assertThat(page.locator("h1")).containsText("1 held ticket");
    page.keyboard().press("j");
    page.keyboard().press("x");
    assertThat(page.locator("input[name=id]")).isChecked();
    tabTo("guidance");
    page.keyboard().type("no mouse was used");
    tabTo("release");
    page.keyboard().press("Enter");
    assertThat(notice()).containsText("Released 1 ticket");
    assertThat(tickets.guidance(id)).containsExactly("no mouse was used");
  }

  @Test
  @DisplayName("the row that the keyboard is at stays so when the page renews itself")
  void keyboardAndRenewal() {
    tickets.hold("keys", "the keyboard is here");
    go("/inbox");
    moveTo("the keyboard is here");
    tickets.hold("keys", "came later, of another kind");
    assertThat(page.locator("body")).containsText("came later, of another kind");
    assertThat(page.locator(".current a")).containsText("the keyboard is here");
    page.keyboard().press("Enter");
    assertThat(page.locator("h1")).containsText("1 held ticket");
  }

  @Test
  @DisplayName("what somebody begins while the page renews itself is not lost")
  void beginsDuringRenewal() {
    List<Long> ids = tickets.hold(3, "renewal", "the disk of r is full");
    go("/inbox");
    List<Route> renewals = new ArrayList<>();
    // Before the page is there: none that could show the release may come through.
    page.route(
        url -> url.contains("/group?"),
        route -> {
          if (route.request().headers().containsKey("hx-request")) {
            renewals.add(route);
          } else {
            route.resume();
          }
        });
    page.locator(".groups a:has-text('the disk of r is full')").click();
    assertThat(page.locator("#bulk tbody tr")).hasCount(3);
    database.run("SELECT holdfast.release_ticket(?, 'ann')", ids.getFirst());
    page.waitForCondition(() -> !renewals.isEmpty());
    page.locator("[data-all]").check();
    page.locator("#guidance").fill("r has room again");
    page.waitForResponse(page.url(), () -> renewals.getFirst().resume());
    assertThat(page.locator("#live-state")).hasText("Updates wait until you have finished.");
    assertThat(page.locator("#guidance")).hasValue("r has room again");
    button("Release selected").click();
    assertThat(notice()).containsText("Released 2 of 3");
  }

  /** Answers the updates of the page by this; the page itself comes from the server. */
  private void answerUpdates(Consumer<Route> answer) {
    page.route(
        url -> url.contains("/tickets"),
        route -> {
          if (route.request().headers().containsKey("hx-request")) {
            answer.accept(route);
          } else {
            route.resume();
          }
        });
  }

  private static Route.FulfillOptions answer(int status, String html) {
    return new Route.FulfillOptions().setStatus(status).setContentType("text/html").setBody(html);
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 502, 503})
  @DisplayName(
      "a page whose update is answered with an error stays as it was, says so, and comes back by"
          + " itself")
  void errorInsteadOfUpdate(int status) {
    AtomicBoolean broken = new AtomicBoolean(true);
    String other = "came later, over " + status;
    answerUpdates(
        route -> {
          if (broken.get()) {
            route.fulfill(answer(status, "<h1>Bad Gateway</h1>"));
          } else {
            route.resume();
          }
        });
    go("/tickets?q=over+" + status);
    tickets.hold(other, "why");
    assertThat(page.locator("#live-state"))
        .hasText("This page cannot be brought up to date (error " + status + "). Trying again …");
    assertThat(page.locator("h1")).hasText("Tickets");
    broken.set(false);
    assertThat(page.locator("[data-live]")).containsText(other);
    assertThat(page.locator("#live-state")).hasText("Live.");
  }

  /** The updates, of which the first is not yet answered. */
  private List<Route> writeDuringUpdate(long id) {
    List<Route> updates = new ArrayList<>();
    answerUpdates(updates::add);
    go("/tickets/" + id);
    // It makes no form old.
    database.run("SELECT holdfast.set_auto_retry(?, 'ann', false)", id);
    page.waitForCondition(() -> !updates.isEmpty());
    page.locator("#guidance").fill("a long guidance");
    return updates;
  }

  @Test
  @DisplayName("what somebody writes while an update is answered with an error is not lost")
  void errorWhileWriting() {
    long id = tickets.hold("errors", "the disk of e is full");
    List<Route> updates = writeDuringUpdate(id);
    page.waitForResponse(
        page.url(), () -> updates.getFirst().fulfill(answer(503, "<h1>Service Unavailable</h1>")));
    assertThat(page.locator("#live-state")).containsText("(error 503)");
    assertThat(page.locator("#guidance")).hasValue("a long guidance");
    button("Release").first().click();
    assertThat(notice()).containsText("Released #" + id + " with your guidance");
  }

  @Test
  @DisplayName("who is logged out while they write keeps the page with what they wrote")
  void loggedOutWhileWriting() {
    long id = tickets.hold("log out", "the disk of l is full");
    List<Route> updates = writeDuringUpdate(id);
    page.waitForResponse(
        page.url(), () -> updates.getFirst().fulfill(answer(200, "<h1>Log in</h1>")));
    assertThat(page.locator("#live-state")).hasText("Updates wait until you have finished.");
    assertThat(page.locator("#guidance")).hasValue("a long guidance");
    // It would be loaded anew when nobody writes.
    page.locator("#guidance").fill("");
    page.locator("h1").click();
    page.waitForCondition(() -> updates.size() > 1);
    AtomicBoolean loaded = new AtomicBoolean();
    page.onDOMContentLoaded(anew -> loaded.set(true));
    updates.get(1).fulfill(answer(200, "<h1>Log in</h1>"));
    page.waitForCondition(loaded::get);
  }

  /** With the keyboard, down the list. */
  private void moveTo(String link) {
    for (int i = 0; i < 100 && !currentLink().contains(link); i++) {
      page.keyboard().press("j");
    }
  }

  private String currentLink() {
    Locator current = page.locator(".current a");
    return current.count() == 0 ? "" : current.first().textContent();
  }

  /** Backwards, as often as it takes. */
  private void tabTo(String nameOrValue) {
    for (int i = 0; i < 60; i++) {
      page.keyboard().press(nameOrValue.equals("release") ? "Tab" : "Shift+Tab");
      Object focused =
          page.evaluate("document.activeElement.value + ' ' + document.activeElement.name");
      if (String.valueOf(focused).startsWith(nameOrValue + " ")
          || String.valueOf(focused).endsWith(" " + nameOrValue)) {
        return;
      }
    }
    throw new AssertionError("the keyboard does not come to " + nameOrValue);
  }

  @Test
  @DisplayName("without JavaScript everything can be read, and a ticket released")
  void withoutJavaScript() {
    long id = tickets.hold("plain", "no script here");
    page = browsers.page(new Browser.NewContextOptions().setJavaScriptEnabled(false));
    go("/inbox");
    page.locator(".groups a:has-text('no script here')").click();
    page.locator("#bulk a").first().click();
    button("Release").first().click();
    assertThat(notice()).containsText("Released #" + id);
  }

  @Test
  @DisplayName("on a phone nothing has to be scrolled sideways")
  void phone() {
    long id = tickets.hold("phone", "a rather long error ".repeat(20));
    page =
        browsers.page(new Browser.NewContextOptions().setViewportSize(360, 740).setIsMobile(true));
    for (String path :
        List.of("/", "/inbox", "/tickets", "/tickets/" + id, "/queues", "/batches", "/review")) {
      go(path);
      assertThat((Integer) page.evaluate("document.documentElement.scrollWidth"))
          .as(path)
          .isLessThanOrEqualTo(360);
    }
  }
}
