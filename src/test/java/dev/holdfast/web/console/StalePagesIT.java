package dev.holdfast.web.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.failure.Category;
import dev.holdfast.queue.Finish;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ConsoleServer;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
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

  @Test
  @DisplayName(
      "22.2: a workflow and its steps that were selected together count once each, in any order,"
          + " but for what somebody else has changed")
  void workflowWithItsSteps() throws Exception {
    TestQueue queue = new TestQueue(TestQueue.on(database).queue(), database, "workflow");
    long id = queue.enqueue();
    long lease = queue.claim();
    queue
        .queue()
        .finish(
            List.of(
                new Finish.Advanced(
                    id,
                    lease,
                    "{\"steps\": [{\"step\": \"a\", \"kind\": \"manual\", \"payloads\": [1,"
                        + " 2]}]}")),
            List.of(lease));
    long step = database.number("SELECT max(id) FROM holdfast.tickets");

    assertThat(visitor.post("/held/act", "do=hold" + seen(id, step - 1, step)))
        .contains("Held 3 tickets.");
    assertThat(visitor.post("/held/act", "do=release" + seen(id, step - 1, step)))
        .contains("Released 3 tickets.");
    String old = seen(step);
    database.run("SELECT holdfast.hold_ticket(?, 'bob', 'mine')", step);
    assertThat(visitor.post("/held/act", "do=cancel" + seen(step - 1) + old + seen(id)))
        .contains("Cancelled 2 of 3.", "bob was the last to act on it");
  }

  private String seen(long... ids) {
    return LongStream.of(ids)
        .mapToObj(
            id ->
                "&id="
                    + id
                    + "%40"
                    + database.value(
                        "SELECT holdfast.ticket_version(lease_no, updated_at) FROM holdfast.tickets"
                            + " WHERE id = ?",
                        id))
        .collect(Collectors.joining());
  }

  @Test
  @DisplayName("22.2: the part of an action's page that renews itself says whether it is at work")
  void actionAtWork() throws Exception {
    long id = tickets.hold("one", "boom");
    String shown;
    try (Connection other = database.dataSource().getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT FROM holdfast.ticket_base WHERE id = " + id + " FOR UPDATE");
      shown = visitor.post("/held/act", "do=cancel&id=" + id);
    }
    assertThat(live(shown)).contains("<h1>At work</h1>");
    Matcher address = Pattern.compile("data-live=\"(/runs/[^\"]+)\"").matcher(shown);
    assertThat(address.find()).isTrue();
    await()
        .untilAsserted(
            () -> assertThat(live(visitor.page(address.group(1)))).contains("<h1>Finished</h1>"));
  }

  private static String live(String page) {
    return page.substring(page.indexOf("id=\"live\""));
  }

  private String tryNow(long id, String shown) throws Exception {
    return visitor.post(
        "/tickets/" + id + "/abort-retry",
        "version="
            + ConsoleVisitor.field(wait(shown), "version")
            + (shown.contains("name=\"until\"")
                ? "&until=" + ConsoleVisitor.field(wait(shown), "until")
                : "")
            + "&back=%2Ftickets%2F"
            + id);
  }

  private static String wait(String page) {
    return page.substring(page.indexOf("id=\"retry-wait\""));
  }

  @Test
  @DisplayName("D27: an old form to try a ticket now does not end its next wait")
  void oldTryNow() throws Exception {
    TestQueue queue = TestQueue.on(database);
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.SYSTEM_ERROR);
    String shown = visitor.page("/tickets/" + id);
    assertThat(tryNow(id, shown)).contains("#" + id + " is tried now.");
    queue.fail(id, queue.claim(), Category.SYSTEM_ERROR);

    assertThat(tryNow(id, shown)).contains("ticket " + id + " has changed since you looked");
    assertThat(queue.claim(1)).isEmpty();
  }

  @Test
  @DisplayName("D27: an old form to abort a session's retry does not abort the next one")
  void oldAbort() throws Exception {
    TestQueue queue = TestQueue.on(database);
    long id = queue.enqueue();
    long lease = queue.claim();
    database.tell(id, lease, new SessionEvent.AutoRetryStart(1, 3, 90_000, "overloaded"));
    String shown = visitor.page("/tickets/" + id);
    database.tell(id, lease, new SessionEvent.AutoRetryStart(2, 3, 91_000, "overloaded"));

    assertThat(tryNow(id, shown)).contains("ticket " + id + " has changed since you looked");
    assertThat(database.column("SELECT ticket_id FROM holdfast.retry_aborts")).isEmpty();
    assertThat(tryNow(id, visitor.page("/tickets/" + id))).contains("is being aborted");
  }

  @Test
  @DisplayName("22.1: a release that is refused leaves the payload as it was")
  void refusedReleaseWithPayload() throws Exception {
    long id = tickets.hold(1, "one", "boom").getFirst();
    String before = database.value("SELECT payload::text FROM holdfast.tickets WHERE id = ?", id);
    String form = "payload=%7B%22z%22%3A1%7D";
    assertThat(visitor.post("/tickets/" + id + "/release", form + "&design=99"))
        .contains("has no design");
    assertThat(database.value("SELECT payload::text FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo(before);
    assertThat(visitor.post("/tickets/" + id + "/release", form))
        .contains("Released #" + id + " with a new payload.");
    assertThat(database.value("SELECT payload::text FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo("{\"z\": 1}");
  }

  @Test
  @DisplayName("D34: an old form to switch the auto-retry does not undo a newer switch")
  void oldSwitch() throws Exception {
    long id = database.enqueue("agent");
    String first = visitor.page("/tickets/" + id);
    assertThat(switchRetry(id, first)).contains("The sessions of #" + id + " retry no more.");
    assertThat(switchRetry(id, first)).contains("The sessions of #" + id + " retry no more.");
    String second = visitor.page("/tickets/" + id);
    assertThat(switchRetry(id, second)).contains("The sessions of #" + id + " retry again.");

    assertThat(switchRetry(id, first))
        .contains("ticket " + id + " has changed since you looked")
        .doesNotContain("retry no more");
  }

  private String switchRetry(long id, String shown) throws Exception {
    return visitor.post(
        "/tickets/" + id + "/auto-retry",
        "switched="
            + ConsoleVisitor.field(shown, "switched")
            + "&enabled="
            + ConsoleVisitor.field(shown, "enabled")
            + "&back=%2Ftickets%2F"
            + id);
  }

  @Test
  @DisplayName("22.5: an old form does not take a ticket from the person whom it was given since")
  void oldAssignment() throws Exception {
    long id = database.enqueue("manual");
    String shown = seen(id).replace("&id=" + id + "%40", "&version=");
    String selected = seen(id);
    String assign = "do=assign&assignee=";
    assertThat(visitor.post("/tickets/" + id + "/act", assign + "ann" + shown))
        .contains("ann looks after #" + id);

    assertThat(visitor.post("/tickets/" + id + "/act", assign + "bob" + shown))
        .contains("ticket " + id + " has changed since you looked", "(assigned at ");
    assertThat(visitor.post("/held/act", assign + "bob" + selected)).contains("Assigned 0 of 1");
    assertThat(database.column("SELECT assignee FROM holdfast.ticket_assignments"))
        .containsExactly("ann");
  }

  @Test
  @DisplayName("22.5: a form that says none of its actions is refused, and does nothing")
  void noAction() throws Exception {
    database.run(
        "INSERT INTO holdfast.queues (name, paused_at, paused_by) VALUES ('idle', now(), 'ann')");
    long id = tickets.review("one", "{}");
    for (String form : List.of("x=", "do=", "do=Pause")) {
      assertThat(visitor.status("/queues/act", "queue=idle&" + form)).isEqualTo(400);
      assertThat(visitor.status("/tickets/" + id + "/review", "feedback=no&" + form))
          .isEqualTo(400);
    }
    assertThat(database.column("SELECT name FROM holdfast.queues WHERE paused_at IS NOT NULL"))
        .contains("idle");
    assertThat(tickets.state(id)).isEqualTo("needs_review");
  }

  private String group(long id) {
    return "fingerprint="
        + database.value("SELECT error_fingerprint FROM holdfast.tickets WHERE id = ?", id);
  }

  private static String once(String page, String part) {
    String form = page.substring(page.indexOf(part));
    return form.contains("name=\"once\"") ? "&once=" + ConsoleVisitor.field(form, "once") : "";
  }

  @Test
  @DisplayName("22.4: one form starts one release in steps, however often it is sent")
  void releaseOnce() throws Exception {
    String group = group(tickets.hold(3, "one", "release once").getFirst());
    String shown = visitor.page("/group?category=system_error&" + group);
    String form = group + "&category=system_error&canary=1&ramp=all" + once(shown, "group-steps");

    assertThat(visitor.post("/releases/start", form))
        .contains("released 1 of 3")
        .doesNotContain("sent before");
    assertThat(visitor.post("/releases/start", form)).contains("The form was sent before");
    assertThat(database.number("SELECT count(*) FROM holdfast.releases")).isEqualTo(1);
    assertThat(visitor.page("/group?category=system_error&" + group))
        .doesNotContain(once(shown, "group-steps").substring("&once=".length()));
  }

  @Test
  @DisplayName("22.4: a release in steps of a category that does not exist is refused")
  void releaseOfNoCategory() throws Exception {
    long id = tickets.hold("one", "no category");
    String form = group(id) + "&category=system_eror&canary=1&ramp=all";

    assertThat(visitor.post("/releases/start", form)).contains("there is no category");
    assertThat(tickets.state(id)).isEqualTo("on_hold");
  }

  @Test
  @DisplayName("22.4: one form runs a schedule once, however often it is sent")
  void runOnce() throws Exception {
    database.run(
        "SELECT holdfast.put_schedule('nightly', 'ann', every => '1 day', kind => 'nightly')");
    String form = "schedule=nightly&do=run" + once(visitor.page("/schedules"), "/schedules/act");

    String told = visitor.post("/schedules/act", form);
    assertThat(told).contains("nightly has made ticket #").doesNotContain("sent before");
    assertThat(visitor.post("/schedules/act", form)).contains("The form was sent before");
    assertThat(database.column("SELECT id FROM holdfast.tickets WHERE kind = 'nightly'"))
        .hasSize(1);
  }
}
