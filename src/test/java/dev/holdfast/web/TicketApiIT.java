package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Category;
import dev.holdfast.session.approval.ApprovalStore;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ApiClient.Answer;
import java.net.URI;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@WithDatabase
@EverySetup
class TicketApiIT {
  private static final String TICKETS = "/api/v1/tickets";

  private static final String SHARED = WebFixture.tokens().getFirst().actor();

  private final TicketDatabase database;
  private final TestQueue queue;
  @AutoClose private final HikariDataSource pool;
  @AutoClose private final WebServer server;
  @AutoClose private final ApiClient ann;
  @AutoClose private final ApiClient shared;

  TicketApiIT(TestDatabase testDatabase) {
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
    this.pool = database.pool(8);
    this.server = WebFixture.server(pool);
    this.ann = new ApiClient(server.port(), WebFixture.ANN);
    this.shared = new ApiClient(server.port(), WebFixture.OPERATOR);
  }

  private static String path(long id, String action) {
    return TICKETS + "/" + id + action;
  }

  private long held() {
    long id = queue.enqueue();
    assertThat(ann.post(path(id, "/hold"), "{\"reason\": \"look at it\"}").status()).isEqualTo(200);
    return id;
  }

  private String etag(long id) {
    return ann.get(path(id, "")).header("ETag").orElseThrow();
  }

  private List<String> actors(long id, String action) {
    return database.column(
        "SELECT actor FROM holdfast.ticket_activity WHERE ticket_id = ? AND action = ?",
        id,
        action);
  }

  @Test
  @DisplayName("a ticket is created with its fields, in its creator's name, and shown whole")
  void create() {
    Answer created =
        ann.post(
            TICKETS,
            """
            {"kind": "mail", "title": "Grüße", "payload": {"to": "bob"}, "queue": "post",
             "priority": 7, "delay": "5m", "unique_key": "k-1", "max_cost_usd": 1.5}
            """);
    assertThat(created.status()).as(created.toString()).isEqualTo(201);
    long id = created.json().get("id").asLong();
    assertThat(created.header("Location")).hasValue(path(id, ""));
    assertThat(
            database.value(
                "SELECT actor || ' ' || channel FROM holdfast.ticket_activity WHERE ticket_id = ?",
                id))
        .isEqualTo("ann api");

    Answer shown = ann.get(path(id, ""));
    assertThat(shown.json().get("payload").get("to").asString()).isEqualTo("bob");
    assertThat(shown.json().get("title").asString()).isEqualTo("Grüße");
    assertThat(shown.json().get("priority").asInt()).isEqualTo(7);
    assertThat(shown.json().get("activity").get(0).get("event").asString()).isEqualTo("created");
    assertThat(shown.header("ETag")).isEqualTo(created.header("ETag"));
    assertThat(actors(id, "enqueued")).containsExactly("ann");

    Answer again = ann.post(TICKETS, "{\"kind\": \"mail\", \"unique_key\": \"k-1\"}");
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.json().get("id").asLong()).isEqualTo(id);
  }

  @Test
  @DisplayName("of a ticket with very much behind it the newest is shown, and how much is left out")
  void longHistory() {
    long id = held();
    database.run(
        "INSERT INTO holdfast.ticket_guidance (ticket_id, author, source, guidance) SELECT ?,"
            + " 'ann', 'release', g || repeat(' words', 10000) FROM generate_series(1, 100) g",
        id);
    database.run(
        "INSERT INTO holdfast.ticket_activity (ticket_id, action, actor) SELECT ?, 'assigned',"
            + " 'ann' FROM generate_series(1, 1100)",
        id);
    database.run(
        "INSERT INTO holdfast.tool_approvals (ticket_id, lease_no, answer, turn, call_id, tool,"
            + " arguments, effect, shape, decision, decided_by) SELECT ?, 1, g, g, 'call-' || g,"
            + " 'write_file', to_json(repeat('words ', 10000))::text, '', 's', CASE WHEN g > 1 THEN"
            + " 'denied' END, CASE WHEN g > 1 THEN 'ann' END FROM generate_series(1, 100) g",
        id);
    JsonNode shown = ann.get(path(id, "")).json();
    JsonNode guidance = shown.get("guidance");
    assertThat(guidance.size()).isEqualTo(4 * 1024 * 1024 / 60_060);
    assertThat(guidance.get(guidance.size() - 1).get("text").asString()).startsWith("100 ");
    assertThat(shown.get("activity").size()).isEqualTo(1000);
    JsonNode leftOut = shown.get("left_out");
    assertThat(leftOut.get("guidance").asInt()).isEqualTo(100 - guidance.size());
    assertThat(leftOut.get("activity").asInt()).isGreaterThanOrEqualTo(100);
    assertThat(leftOut.get("attempts").asInt()).isZero();
    JsonNode calls = shown.get("tool_calls");
    assertThat(calls.size()).isBetween(60, 70);
    assertThat(calls.get(0).get("call_id").asString()).isEqualTo("call-" + (102 - calls.size()));
    assertThat(calls.get(calls.size() - 1).get("call_id").asString())
        .as("it waits")
        .isEqualTo("call-1");
    assertThat(leftOut.get("tool_calls").asInt()).isEqualTo(100 - calls.size());
  }

  @Test
  @DisplayName(
      "5.4: a tool call is approved with other arguments, in its approver's name; a release is no"
          + " approval")
  void decideCall() {
    long id =
        queue.park(
            new ApprovalStore.Asked(1, 1, "c1", "run_command", "{\"c\": \"rm a\"}", "", "h"));
    assertThat(ann.post(path(id, "/release"), "{}").status()).isEqualTo(409);
    assertThat(ann.post(path(id, "/decide-call"), "{\"decision\": \"approve\", \"arguments\": 1}"))
        .extracting(Answer::status)
        .isEqualTo(422);

    Answer misfit =
        ann.post(
            path(id, "/decide-call"),
            "{\"decision\": \"approve\", \"arguments\": {\"c\": \"rm b\"}}");
    assertThat(misfit.status()).isEqualTo(422);
    assertThat(misfit.detail()).contains("run_command does not take that: ");

    Answer decided =
        ann.post(
            path(id, "/decide-call"),
            "{\"decision\": \"approve\", \"arguments\": {\"command\": \"rm b\"}, \"words\": \"b it"
                + " is\"}");

    assertThat(decided.status()).as(decided.toString()).isEqualTo(200);
    assertThat(decided.json().get("state").asString()).isEqualTo("ready");
    JsonNode call = ann.get(path(id, "")).json().get("tool_calls").get(0);
    assertThat(call.get("arguments").get("c").asString()).isEqualTo("rm a");
    assertThat(call.get("edited_arguments").get("command").asString()).isEqualTo("rm b");
    assertThat(call.get("decided_by").asString()).isEqualTo("ann");
    assertThat(call.get("words").asString()).isEqualTo("b it is");
  }

  @Test
  @DisplayName("one Idempotency-Key makes one ticket, also at once; another request is refused")
  void idempotency() throws Exception {
    String body = "{\"kind\": \"once\"}";
    Callable<Answer> create = () -> ann.post(TICKETS, body, "Idempotency-Key", "abc");
    List<Answer> answers = AtOnce.run(Collections.nCopies(8, create));
    assertThat(answers).allMatch(answer -> answer.status() < 300);
    assertThat(answers.stream().map(answer -> answer.json().get("id").asLong()).distinct())
        .hasSize(1);
    assertThat(answers.stream().filter(answer -> answer.status() == 201)).hasSize(1);

    Answer other = ann.post(TICKETS, "{\"kind\": \"two\"}", "Idempotency-Key", "abc");
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.detail()).contains("Idempotency-Key");
    Answer somebodyElse = shared.post(TICKETS, body, "Idempotency-Key", "abc");
    assertThat(somebodyElse.status()).isEqualTo(201);
    assertThat(database.number("SELECT count(*) FROM holdfast.tickets WHERE kind = 'once'"))
        .isEqualTo(2);
  }

  @Test
  @DisplayName(
      "a decision sent again under its Idempotency-Key is answered as the first time, at once too,"
          + " and not done again")
  void repeatedDecisions() throws Exception {
    long id = held();
    String release = path(id, "/release");
    String body = "{\"guidance\": \"look again\"}";
    Callable<Answer> once = () -> ann.post(release, body, "Idempotency-Key", "r-1");
    List<Answer> answers = AtOnce.run(Collections.nCopies(6, once));
    assertThat(answers).allMatch(answer -> answer.status() == 200);
    assertThat(actors(id, "released")).containsExactly("ann");

    // The ticket goes on; whoever did not hear the answer is told the same.
    ann.post(path(id, "/cancel"), "{}");
    Answer late = ann.post(release, body, "Idempotency-Key", "r-1");
    assertThat(late.status()).isEqualTo(200);
    assertThat(late.json().get("state").asString()).isEqualTo("ready");
    assertThat(late.header("Idempotency-Replayed")).hasValue("true");
    assertThat(late.header("ETag")).isPresent();

    assertThat(ann.post(release, "{}", "Idempotency-Key", "r-1").status()).isEqualTo(422);
    assertThat(ann.post(path(held(), "/release"), body, "Idempotency-Key", "r-1").status())
        .isEqualTo(422);
    assertThat(shared.post(release, body, "Idempotency-Key", "r-1").status()).isEqualTo(409);
    assertThat(ann.post(release, body, "Idempotency-Key", " ").status()).isEqualTo(400);
    assertThat(ann.post(release, body, "Idempotency-Key", "k".repeat(201)).status()).isEqualTo(400);
  }

  @Test
  @DisplayName(
      "graphs, batches, releases in steps, a schedule's run and a replay count once per"
          + " Idempotency-Key, at once too, and all of their deed is stored with the key")
  void repeatedCreations() throws Exception {
    database.run(
        "SELECT holdfast.put_schedule('once', 'ann', every => '1 h', kind => 'scheduled', next_at"
            + " => now() + interval '1 day')");
    long held = held();
    Map<String, String> bodies =
        Map.of(
            "/api/v1/graphs", "{\"tickets\": [{\"name\": \"a\", \"kind\": \"graphed\"}]}",
            "/api/v1/batches", "{\"tickets\": [{\"kind\": \"batched\"}], \"title\": \"b\"}",
            "/api/v1/releases", "{\"ids\": [" + held + "], \"canary\": 1}",
            "/api/v1/schedules/once/run", "{}");
    for (Map.Entry<String, String> each : bodies.entrySet()) {
      Callable<Answer> create =
          () -> ann.post(each.getKey(), each.getValue(), "Idempotency-Key", each.getKey());
      List<Answer> answers = AtOnce.run(Collections.nCopies(4, create));
      assertThat(answers).as(each.getKey()).allMatch(answer -> answer.status() == 201);
      assertThat(answers.stream().map(answer -> answer.json().toString()).distinct()).hasSize(1);
      assertThat(answers.stream().map(answer -> answer.header("Location")).distinct())
          .as("the address of what was made at " + each.getKey())
          .hasSize(1);
      assertThat(answers.stream().filter(a -> a.header("Idempotency-Replayed").isPresent()))
          .hasSize(3);
      assertThat(shared.post(each.getKey(), "{\"tickets\": 1}", "Idempotency-Key", each.getKey()))
          .as("somebody else's key is another one")
          .matches(answer -> answer.header("Idempotency-Replayed").isEmpty());
    }
    for (String kind : List.of("graphed", "batched", "scheduled")) {
      String count = "SELECT count(*) FROM holdfast.tickets WHERE kind = ?";
      assertThat(database.number(count, kind)).as(kind).isEqualTo(1);
    }
    assertThat(database.number("SELECT count(*) FROM holdfast.releases")).isEqualTo(1);
    Answer other = ann.post("/api/v1/graphs", GRAPH_OF_TWO, "Idempotency-Key", "/api/v1/graphs");
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.detail()).contains("Idempotency-Key");

    // What is refused is not remembered, and leaves nothing.
    String unknown = "{\"tickets\": [{\"kind\": \"a b\"}]}";
    for (int i = 0; i < 2; i++) {
      assertThat(ann.post("/api/v1/batches", unknown, "Idempotency-Key", "bad").status())
          .isEqualTo(422);
    }
    assertThat(database.number("SELECT count(*) FROM holdfast.batches WHERE title IS NULL"))
        .isZero();
  }

  private static final String GRAPH_OF_TWO =
      "{\"tickets\": [{\"kind\": \"graphed\"}, {\"kind\": \"graphed\"}]}";

  @Test
  @DisplayName(
      "what was refused under an Idempotency-Key is not remembered, and what was done without an"
          + " answer is answered as it is now")
  void unansweredDecisions() {
    long id = queue.enqueue();
    String release = path(id, "/release");
    assertThat(ann.post(release, "{}", "Idempotency-Key", "u-1").status()).isEqualTo(409);
    ann.post(path(id, "/hold"), "{\"reason\": \"why\"}");
    assertThat(ann.post(release, "{}", "Idempotency-Key", "u-1").status()).isEqualTo(200);
    database.run("UPDATE holdfast.request_keys SET answer = NULL");
    ann.post(path(id, "/cancel"), "{}");
    Answer again = ann.post(release, "{}", "Idempotency-Key", "u-1");
    assertThat(again.json().get("state").asString()).isEqualTo("cancelled");
    assertThat(actors(id, "released")).containsExactly("ann");
  }

  @Test
  @DisplayName("pages follow each other without a gap, and keep the question")
  void pages() {
    List<Long> all = new ArrayList<>(queue.enqueue(7));
    List<Long> seen = new ArrayList<>();
    String next = TICKETS + "?kind=" + queue.kind() + "&limit=3";
    while (next != null) {
      JsonNode page = ann.get(next).json();
      page.get("tickets").forEach(ticket -> seen.add(ticket.get("id").asLong()));
      next = page.get("next").isNull() ? null : page.get("next").asString();
    }
    assertThat(seen).containsExactlyElementsOf(all.reversed());
  }

  @Test
  @DisplayName(
      "a ticket with infinite times, as versions took it that refused none, is listed, too")
  void infiniteTimes() {
    for (String time : List.of("infinity", "-infinity")) {
      long id = queue.enqueue();
      database.run(
          "UPDATE holdfast.ticket_base SET updated_at = '%1$s', started_at = '%1$s' WHERE id = ?"
              .formatted(time),
          id);

      Answer list = ann.get(TICKETS + "?kind=" + queue.kind());
      assertThat(list.status()).as(list.toString()).isEqualTo(200);
      assertThat(list.json().get("tickets").get(0).get("id").asLong()).isEqualTo(id);
      assertThat(ann.get(path(id, "")).status()).isEqualTo(200);
    }
  }

  @Test
  @DisplayName("every filter leaves out what it should")
  void filters() {
    database.run(
        "INSERT INTO holdfast.tickets (kind, queue, title, unique_key, created_at, state, error,"
            + " error_category, error_fingerprint) VALUES ('f', 'fq', 'Alpha 100% _x', 'key-f',"
            + " '2020-01-01Z', 'on_hold', 'boom', 'api_error', 'ffffffff'),"
            + " ('f', 'fq', 'Beta', NULL, '2021-01-01Z', 'ready', NULL, NULL, NULL)");
    for (String filter :
        List.of(
            "state=on_hold",
            "category=api_error",
            "fingerprint=ffffffff",
            "text=alpha",
            "text=100%25%20_",
            "text=KEY-F",
            "created_before=2020-06-01T00:00:00Z")) {
      assertThat(titles(filter)).as(filter).containsExactly("Alpha 100% _x");
    }
    assertThat(titles("text=0_")).isEmpty();
    assertThat(titles("created_from=2020-06-01T00:00:00%2B00:00")).containsExactly("Beta");
    assertThat(titles("queue=other")).isEmpty();
    long alpha = database.number("SELECT id FROM holdfast.tickets WHERE unique_key = 'key-f'");
    assertThat(ann.post(path(alpha, "/assign"), "{\"assignee\": \"bob\"}").status()).isEqualTo(200);
    assertThat(titles("assignee=bob")).containsExactly("Alpha 100% _x");
    assertThat(titles("assignee=bob&state=on_hold")).containsExactly("Alpha 100% _x");
  }

  private List<String> titles(String filter) {
    Answer answer = ann.get(TICKETS + "?kind=f&" + filter);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    List<String> titles = new ArrayList<>();
    answer.json().get("tickets").forEach(ticket -> titles.add(ticket.get("title").asString()));
    return titles;
  }

  @Test
  @DisplayName("nobody acts on a stale view: If-Match with an old ETag changes nothing")
  void stale() {
    long id = held();
    String seen = etag(id);
    assertThat(shared.post(path(id, "/payload"), "{\"payload\": {\"n\": 2}}").status())
        .isEqualTo(200);

    Answer refused = ann.post(path(id, "/release"), "{}", "If-Match", seen);
    assertThat(refused.status()).as(refused.toString()).isEqualTo(412);
    assertThat(refused.detail()).contains(SHARED).contains("payload_edited").contains("on_hold");
    assertThat(database.state(id)).isEqualTo("on_hold");

    Answer released = ann.post(path(id, "/release"), "{}", "If-Match", etag(id));
    assertThat(released.status()).as(released.toString()).isEqualTo(200);
    assertThat(released.json().get("state").asString()).isEqualTo("ready");
    assertThat(released.header("ETag")).hasValue(etag(id));
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("nobody assigns or ends on a stale view what somebody else looks after since")
  void assigned() {
    long id = held();
    String seen = etag(id);
    Answer given = shared.post(path(id, "/assign"), "{\"assignee\": \"bob\"}", "If-Match", seen);
    assertThat(given.status()).as(given.toString()).isEqualTo(200);
    assertThat(given.header("ETag")).hasValue(etag(id));

    Answer refused = ann.post(path(id, "/assign"), "{\"assignee\": \"ann\"}", "If-Match", seen);
    assertThat(refused.status()).as(refused.toString()).isEqualTo(412);
    assertThat(refused.detail()).contains(SHARED, "assigned", "on_hold");
    assertThat(ann.post(path(id, "/cancel"), "{}", "If-Match", seen).status()).isEqualTo(412);
    assertThat(ann.post(path(id, "/assign"), "{}", "If-Match", etag(id)).status()).isEqualTo(200);
  }

  @Test
  @DisplayName("a claim changes the ETag, so that nobody holds what they saw waiting")
  void claimed() {
    long id = queue.enqueue();
    String seen = etag(id);
    queue.claim();
    assertThat(ann.post(path(id, "/hold"), "{\"reason\": \"x\"}", "If-Match", seen).status())
        .isEqualTo(412);
    assertThat(
            ann.post(path(id, "/hold"), "{\"reason\": \"x\"}", "If-Match", "\"1\", " + etag(id))
                .status())
        .isEqualTo(200);
  }

  @Test
  @DisplayName("of two operators at once one wins, and the other is told who did")
  void twoAtOnce() throws Exception {
    long id = held();
    Callable<Answer> release = () -> shared.post(path(id, "/release"), "{}");
    List<Answer> answers = AtOnce.run(Collections.nCopies(6, release));
    assertThat(answers.stream().filter(answer -> answer.status() == 200)).hasSize(1);
    assertThat(answers.stream().filter(answer -> answer.status() == 409))
        .hasSize(5)
        .allSatisfy(answer -> assertThat(answer.detail()).contains(SHARED).contains("released"));
    assertThat(actors(id, "released")).containsExactly(SHARED);
  }

  @Test
  @DisplayName("a release can be undone until a worker claims the ticket: all is as before it")
  void undo() {
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.CODE_ERROR);
    queue.makeDue(id);
    queue.fail(id, queue.claim(), Category.CODE_ERROR);
    var before = database.row(id);
    assertThat(before).containsEntry("state", "on_hold").containsEntry("retry_count", "1");

    String release = "{\"guidance\": \"try harder\", \"fresh\": true}";
    assertThat(ann.post(path(id, "/release"), release).status()).isEqualTo(200);
    Answer undone = ann.post(path(id, "/unrelease"), "{}");
    assertThat(undone.status()).as(undone.toString()).isEqualTo(200);

    var after = database.row(id);
    after.put("updated_at", before.get("updated_at"));
    assertThat(after).isEqualTo(before);
    assertThat(ann.get(path(id, "")).json().get("guidance")).isEmpty();
    assertThat(actors(id, "release_undone")).containsExactly("ann");
    database.assertNoTicketIsLost();

    assertThat(ann.post(path(id, "/unrelease"), "").status()).isEqualTo(409);
    assertThat(ann.post(path(id, "/release"), release).status()).isEqualTo(200);
    queue.claim();
    assertThat(ann.post(path(id, "/unrelease"), "").status()).isEqualTo(409);
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("an undo comes too late after a minute, and after an attempt")
  void undoTooLate() {
    long id = held();
    ann.post(path(id, "/release"), "{}");
    database.run(
        "UPDATE holdfast.released_holds SET released_at = now() - interval '61 s' WHERE ticket_id ="
            + " ?",
        id);
    assertThat(ann.post(path(id, "/unrelease"), "{}").status()).isEqualTo(409);

    long other = queue.enqueue();
    queue.claim(2);
    ann.post(path(other, "/hold"), "{\"reason\": \"x\"}");
    ann.post(path(other, "/release"), "{}");
    queue.giveBack(other, queue.claim());
    assertThat(ann.post(path(other, "/unrelease"), "{}").status()).isEqualTo(409);
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName(
      "a release of many is undone as one, also by another process; what has begun is refused")
  void undoMany() {
    List<Long> ids = List.of(held(), held(), held());
    Answer released = ann.post(TICKETS + "/release", "{\"ids\": " + ids + "}");
    String undo = released.header("Location").orElseThrow() + "/undo";
    queue.claim(1);
    try (WebServer other = WebFixture.server(pool);
        ApiClient there = new ApiClient(other.port(), WebFixture.ANN)) {
      Answer undone = there.post(undo, "{}");
      assertThat(undone.status()).as(undone.toString()).isEqualTo(200);
      assertThat(undone.json().get("done").asInt()).isEqualTo(2);
      assertThat(undone.json().at("/refusals/0/detail").asString())
          .isEqualTo("it is in_progress by now");
    }
    assertThat(ids.stream().map(database::state))
        .containsExactly("in_progress", "on_hold", "on_hold");
    assertThat(actors(ids.getLast(), "release_undone")).containsExactly("ann");
    assertThat(ann.post(undo, "{}").status()).isEqualTo(404);

    Answer late = ann.post(TICKETS + "/release", "{\"ids\": " + ids.subList(1, 3) + "}");
    database.run("UPDATE holdfast.released_holds SET released_at = now() - interval '61 s'");
    assertThat(ann.post(late.header("Location").orElseThrow() + "/undo", "{}").status())
        .isEqualTo(409);
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("an undo ends the release that is still at work; it would go on behind the undo")
  void undoAtWork() throws Exception {
    List<Long> ids = List.of(held(), held(), held());
    String bulk;
    CompletableFuture<Answer> undone;
    try (Connection other = pool.getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute(
          "SELECT FROM holdfast.ticket_base WHERE id = " + ids.get(1) + " FOR UPDATE");
      Answer released = ann.post(TICKETS + "/release", "{\"ids\": " + ids + "}");
      assertThat(released.status()).isEqualTo(202);
      bulk = released.header("Location").orElseThrow();
      undone = CompletableFuture.supplyAsync(() -> ann.post(bulk + "/undo", "{}"));
      assertThat(undone).failsWithin(Duration.ofSeconds(1));
      other.rollback();
    }
    assertThat(undone.get().status()).as(undone.get().toString()).isEqualTo(200);
    await().until(() -> ann.get(bulk).json().get("finished").asBoolean());
    assertThat(ann.get(bulk).json().get("problem").asString()).isEqualTo("it was taken back");
    assertThat(ids.stream().map(database::state)).containsOnly("on_hold");
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("approve, reject with feedback, hold, cancel, assign: each in the actor's name")
  void actions() {
    long id = queue.enqueue();
    queue.succeed(id, queue.claim());
    assertThat(ann.post(path(id, "/reject"), "{\"feedback\": \"more\"}").json().get("state"))
        .hasToString("\"ready\"");
    assertThat(ann.get(path(id, "")).json().get("guidance").get(0).get("text").asString())
        .isEqualTo("more");
    queue.succeed(id, queue.claim());
    assertThat(shared.post(path(id, "/approve"), "").json().get("state")).hasToString("\"done\"");
    assertThat(actors(id, "approved")).containsExactly(SHARED);

    long other = held();
    Answer assigned = ann.post(path(other, "/assign"), "{\"assignee\": \"carol\"}");
    assertThat(assigned.json().get("assignee").asString()).isEqualTo("carol");
    assertThat(ann.post(path(other, "/assign"), "{}").json().get("assignee").isNull()).isTrue();
    assertThat(ann.post(path(other, "/cancel"), "{\"reason\": \"no\"}").status()).isEqualTo(200);
    assertThat(actors(other, "cancelled")).containsExactly("ann");
    assertThat(actors(other, "unassigned")).containsExactly("ann");
  }

  @Test
  @DisplayName("a token with a name acts in that name and no other")
  void named() {
    long id = held();
    assertThat(ann.post(path(id, "/release"), "{\"by\": \"bob\"}").status()).isEqualTo(403);
    assertThat(database.state(id)).isEqualTo("on_hold");
    assertThat(ann.post(path(id, "/release"), "{\"by\": \"ann\"}").status()).isEqualTo(200);
  }

  @Test
  @DisplayName("all tickets of an error are released, and each one that was not is named")
  void bulk() {
    List<Long> ids = queue.enqueue(5);
    for (int i = 0; i < 2; i++) {
      queue
          .claim(5)
          .forEach(ticket -> queue.fail(ticket.id(), ticket.lease().no(), Category.CODE_ERROR));
      ids.stream().filter(id -> database.state(id).equals("ready")).forEach(queue::makeDue);
    }
    String fingerprint =
        database.value(
            "SELECT DISTINCT error_fingerprint FROM holdfast.tickets WHERE kind = ?", queue.kind());
    Answer released =
        ann.post(
            TICKETS + "/release",
            "{\"fingerprint\": \"" + fingerprint + "\", \"guidance\": \"fixed\"}");
    assertThat(released.status()).as(released.toString()).isEqualTo(200);
    assertThat(released.json().get("done").asInt()).isEqualTo(5);

    long held = held();
    Answer some =
        ann.post(
            TICKETS + "/release",
            "{\"ids\": [%s, %s, 99999999]}".formatted("" + held, "" + ids.getFirst()));
    JsonNode progress = ann.get(some.header("Location").orElseThrow()).json();
    assertThat(progress.get("done").asInt()).isEqualTo(1);
    assertThat(progress.get("finished").asBoolean()).isTrue();
    assertThat(progress.get("refusals").toString()).contains("ann").contains("there is no ticket");
    assertThat(actors(ids.getLast(), "released")).containsExactly("ann");
  }

  @Test
  @DisplayName("too short a fingerprint, or none, releases nothing that people have held")
  void shortFingerprints() {
    long id = held();
    for (String fingerprint : List.of("", "0123456", "\\u0000", "\\u0000".repeat(8))) {
      String field = "{\"fingerprint\": \"" + fingerprint + "\"";
      Answer bulk = ann.post(TICKETS + "/release", field + "}");
      assertThat(bulk.status()).as(bulk.toString()).isEqualTo(422);
      assertThat(bulk.detail()).contains("fingerprint");
      Answer inSteps = ann.post("/api/v1/releases", field + ", \"canary\": 1}");
      assertThat(inSteps.status()).as(inSteps.toString()).isEqualTo(422);
    }
    assertThat(database.state(id)).isEqualTo("on_hold");
  }

  @Test
  @DisplayName("queues are paused and resumed in the actor's name; stats, workers and designs")
  void queues() {
    long id = queue.enqueue();
    JsonNode paused = ann.post("/api/v1/queues/default/pause", "").json();
    assertThat(paused.get("paused_by").asString()).isEqualTo("ann");
    String waits = "the queue default, paused by ann; resume it: holdfast resume default";
    assertThat(ann.get(path(id, "")).json().get("waits_for").asString()).isEqualTo(waits);
    try (ConsoleServer console = ConsoleServer.guarded(pool);
        ApiClient person =
            new ApiClient(URI.create(console.url("/")).getPort(), ConsoleServer.viewersToken())) {
      assertThat(person.get("/tickets/" + id).toString())
          .contains("Waits for " + waits + ".")
          .doesNotContain("the next free worker takes it");
    }
    assertThat(ann.post("/api/v1/queues/default/resume", "{}").json().get("paused").asBoolean())
        .isFalse();
    assertThat(ann.post("/api/v1/queues/nowhere/resume", "{}").status()).isEqualTo(404);
    assertThat(ann.post("/api/v1/queues/%20x/pause", "{}").status()).isEqualTo(422);
    assertThat(ann.get("/api/v1/stats").json().get("queues")).isNotEmpty();
    assertThat(ann.get("/api/v1/workers").json().get("workers")).isNotNull();
    assertThat(ann.get("/api/v1/designs").json().get("designs")).isNotNull();
    assertThat(ann.get("/api/v1/designs/none").status()).isEqualTo(404);
  }
}
