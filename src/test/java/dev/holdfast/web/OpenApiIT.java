package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.inbox.PostgresDesignStore;
import dev.holdfast.schema.JsonSchema;
import dev.holdfast.schema.Question;
import dev.holdfast.session.approval.ApprovalStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ApiClient.Answer;
import io.javalin.http.ExceptionHandler;
import io.javalin.http.Handler;
import io.javalin.router.Endpoint;
import io.javalin.router.JavalinDefaultRoutingApi;
import io.javalin.security.RouteRole;
import io.javalin.websocket.WsConfig;
import io.javalin.websocket.WsExceptionHandler;
import io.javalin.websocket.WsHandlerType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Holds /openapi.json against the running server: every operation, every answer. */
@WithDatabase
class OpenApiIT {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String TICKET = "/api/v1/tickets/";

  private final TicketDatabase database;
  private final TestQueue queue;
  @AutoClose private final HikariDataSource pool;
  @AutoClose private final WebServer server;
  @AutoClose private final ApiClient ann;
  private final ApiRoutes api;
  private final HealthRoutes health = new HealthRoutes(Optional::empty, () -> "# none\n");
  private final JsonNode document;
  private final TreeSet<String> asked = new TreeSet<>();

  OpenApiIT(TestDatabase testDatabase) {
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
    this.pool = database.pool(4);
    this.api = WebFixture.api(WebFixture.ports(pool));
    this.server = WebFixture.server(WebFixture.bearers(pool), api, health);
    this.ann = new ApiClient(server.port(), WebFixture.ANN);
    this.document = ann.get("/openapi.json").json();
  }

  /** Notes which routes there are. */
  private static final class RouteNotes implements JavalinDefaultRoutingApi {
    private final List<String> routes = new ArrayList<>();

    @Override
    public JavalinDefaultRoutingApi addEndpoint(Endpoint endpoint) {
      routes.add(
          endpoint.method.toString().toLowerCase(Locale.ROOT)
              + " "
              + endpoint.path.replace('<', '{').replace('>', '}'));
      return this;
    }

    @Override
    public <E extends Exception> JavalinDefaultRoutingApi exception(
        Class<E> type, ExceptionHandler<? super E> handler) {
      return this;
    }

    @Override
    public JavalinDefaultRoutingApi error(int status, String contentType, Handler handler) {
      return this;
    }

    @Override
    public <E extends Exception> JavalinDefaultRoutingApi wsException(
        Class<E> type, WsExceptionHandler<? super E> handler) {
      return this;
    }

    @Override
    public JavalinDefaultRoutingApi addWsHandler(
        WsHandlerType type, String path, Consumer<WsConfig> socket, RouteRole... roles) {
      return this;
    }
  }

  @Test
  @DisplayName("no description falls apart at a comma: every name in the document has a value")
  void allHaveValues() {
    assertThat(namesWithoutValue("", document)).isEmpty();
  }

  /** In YAML {@code {description: What waits, runs}} has a name "runs" without a value. */
  private static List<String> namesWithoutValue(String where, JsonNode node) {
    List<String> found = new ArrayList<>();
    node.propertyStream()
        .forEach(
            each -> {
              String name = where + "/" + each.getKey();
              if (each.getValue().isNull()) {
                found.add(name);
              }
              found.addAll(namesWithoutValue(name, each.getValue()));
            });
    if (node.isArray()) {
      node.forEach(each -> found.addAll(namesWithoutValue(where, each)));
    }
    return found;
  }

  @Test
  @DisplayName("the document and the server know the same names in the body of every operation")
  void sameBodies() {
    document
        .get("paths")
        .propertyStream()
        .forEach(
            path ->
                path.getValue()
                    .propertyStream()
                    .filter(operation -> operation.getValue().has("requestBody"))
                    .forEach(operation -> assertSameBody(path.getKey(), operation)));
  }

  private void assertSameBody(String path, Map.Entry<String, JsonNode> operation) {
    String schema =
        operation
            .getValue()
            .at("/requestBody/content/application~1json/schema/$ref")
            .asString()
            .substring(1);
    String known =
        document
            .at(schema + "/properties")
            .propertyStream()
            .map(Map.Entry::getKey)
            .sorted()
            .collect(Collectors.joining(", "));
    Answer refused =
        ann.send(
            operation.getKey().toUpperCase(Locale.ROOT),
            path.replaceAll("\\{\\w+}", "1"),
            "{\"no_such\": 1}",
            "Content-Type",
            "application/json");
    assertThat(refused.detail()).as(path).endsWith("there are: " + known);
  }

  @Test
  @DisplayName("the document and the server know the same operations, each with an id of its own")
  void sameRoutes() {
    RouteNotes notes = new RouteNotes();
    api.addTo(notes);
    health.addTo(notes);
    List<String> documented = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
        documented.add(operation.getKey() + " " + path.getKey());
        ids.add(operation.getValue().get("operationId").asString());
        assertPathParameters(path.getKey(), operation.getValue());
      }
    }
    assertThat(notes.routes.stream().map(route -> route.replace("/bulk/{id}", "/bulk/{bulk}")))
        .containsExactlyInAnyOrderElementsOf(documented);
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(document.get("openapi").asString()).startsWith("3.1.");
  }

  private void assertPathParameters(String path, JsonNode operation) {
    List<String> named = new ArrayList<>();
    operation
        .path("parameters")
        .forEach(
            each -> {
              JsonNode parameter = resolved(each);
              if (parameter.get("in").asString().equals("path")) {
                named.add("{" + parameter.get("name").asString() + "}");
              }
            });
    assertThat(path.split("/"))
        .as(path)
        .filteredOn(part -> part.startsWith("{"))
        .containsExactlyElementsOf(named);
  }

  private JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? document.at(node.get("$ref").asString().substring(1)) : node;
  }

  @Test
  @DisplayName("every decision on a ticket takes an Idempotency-Key, and the document says so")
  void keysOfDecisions() {
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      if (path.getKey().startsWith(TICKET + "{id}/") && path.getValue().has("post")) {
        assertThat(path.getValue().get("post").get("parameters").toString())
            .as(path.getKey())
            .contains("#/components/parameters/idempotencyKey");
      }
    }
  }

  @Test
  @DisplayName("every operation of the API refuses a parameter that it does not know")
  void strangeParameters() {
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      if (path.getKey().startsWith("/api/v1/")) {
        String address = path.getKey().replaceAll("\\{[^}]*}", "1") + "?dry_run=true";
        for (String method : path.getValue().propertyNames()) {
          Answer answer = ann.send(method.toUpperCase(Locale.ROOT), address, null);
          assertThat(answer.status()).as("%s %s: %s", method, address, answer).isEqualTo(400);
          assertThat(answer.detail()).contains("no parameter \"dry_run\"");
        }
      }
    }
  }

  @Test
  @DisplayName("every answer of every operation is as the document says")
  void answers() {
    new PostgresDesignStore(pool)
        .put("hello", "command", "{\"kind\": \"command\", \"command\": [\"true\"]}", "ann");
    database.run(
        "INSERT INTO holdfast.workers (id, host, pid, version, kinds, concurrency, state)"
            + " VALUES ('w', 'h', 1, '1', '{command}', 5, 'running')");
    reads();
    actions();
    Map<String, String> paths = Map.of("live", "/health/live", "ready", "/health/ready");
    paths.forEach((operation, path) -> check(operation, ann.get(path), 200));
    check("openapi", ann.get("/openapi.json"), 200);
    check("metrics", ann.get("/metrics"), 200);

    TreeSet<String> all = new TreeSet<>();
    document
        .get("paths")
        .forEach(
            path -> path.forEach(operation -> all.add(operation.get("operationId").asString())));
    all.remove("events"); // does not end; EventsIT
    assertThat(asked).isEqualTo(all);
  }

  private void reads() {
    Answer created =
        ann.post("/api/v1/tickets", "{\"design\": \"hello\", \"title\": \"t\", \"payload\": [1]}");
    check("createTicket", created, 201);
    check("createTicket", ann.post("/api/v1/tickets", "{\"priority\": 99999999999}"), 422);
    check(
        "createGraph",
        ann.post(
            "/api/v1/graphs",
            "{\"tickets\": [{\"name\": \"a\", \"kind\": \"x\"}, {\"kind\": \"x\", \"after\":"
                + " [\"a\"]}]}"),
        201);
    check("createGraph", ann.post("/api/v1/graphs", "{\"tickets\": []}"), 422);
    check("createTicket", ann.post("/api/v1/tickets", "{\"kind\": \"x\", \"colour\": 1}"), 422);
    check("listTickets", ann.get("/api/v1/tickets?limit=1"), 200);
    check("listTickets", ann.get("/api/v1/tickets?limit=0"), 400);
    check("showTranscript", ann.get(TICKET + created.json().get("id") + "/transcript"), 200);
    String attempt = created.json().get("id").asString();
    database.run(
        """
        WITH ended AS (
          INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id)
          VALUES (%1$s, 1, now(), now(), 1, 'failed', 'w'))
        INSERT INTO holdfast.attempt_output (ticket_id, lease_no, stream, from_byte, to_byte, pieces, text)
        VALUES (%1$s, 1, 'stderr', 0, 4, 1, 'boom')
        """
            .formatted(attempt));
    check("showOutput", ann.get(TICKET + attempt + "/attempts/1/output"), 200);
    check("showOutput", ann.get(TICKET + attempt + "/attempts/2/output"), 404);
    check("showOutput", ann.get(TICKET + attempt + "/attempts/first/output"), 400);
    check("showTicket", ann.get(TICKET + "987654321"), 404);
    check("listQueues", ann.get("/api/v1/queues"), 200);
    check("listWorkers", ann.get("/api/v1/workers"), 200);
    check("listDesigns", ann.get("/api/v1/designs"), 200);
    check("showDesign", ann.get("/api/v1/designs/hello"), 200);
    schedules();
    batches();
    limits();
    check("pauseQueue", ann.post("/api/v1/queues/default/pause", ""), 200);
    check("resumeQueue", ann.post("/api/v1/queues/default/resume", ""), 200);
  }

  private void figures() {
    long id = queue.enqueue();
    database.run(
        "INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry) VALUES (?, 1,"
            + " 1, 'answered', '{\"usage\": {\"input\": 1, \"output\": 1, \"cacheRead\": 0,"
            + " \"cacheWrite\": 0}, \"costUsd\": 0.1}')",
        id);
    queue.succeed(id, queue.claim(9).getLast().lease().no());
    database.run("UPDATE holdfast.figures_cursor SET counted_until = now() - interval '9 minutes'");
    database.run("SELECT holdfast.roll_up_figures('0')");
    Answer day = ann.get("/api/v1/figures");
    check("figures", day, 200);
    assertThat(day.json().get("span_minutes").asInt()).isEqualTo(15);
    for (String list : List.of("events", "queues", "models")) {
      assertThat(day.json().get(list)).as(list).isNotEmpty();
    }
    check("figures", ann.get("/api/v1/figures?window=7d"), 200);
    check("figures", ann.get("/api/v1/figures?window=0'%20OR%201=1"), 422);
  }

  private void batches() {
    Answer created =
        ann.post(
            "/api/v1/batches",
            "{\"title\": \"b\", \"tickets\": [{\"kind\": \"batched\"}, {\"design\": \"hello\"}]}");
    check("createBatch", created, 201);
    assertThat(created.json().get("added").asInt()).isEqualTo(2);
    check("createBatch", ann.post("/api/v1/batches", "{\"tickets\": []}"), 422);
    check("createBatch", ann.post("/api/v1/batches", "{\"tickets\": [null]}"), 422);
    check("createBatch", ann.post("/api/v1/batches", "{\"tickets\": [{\"kind\": \"x y\"}]}"), 422);
    String one = "/api/v1/batches/" + created.json().get("batch_id").asString();
    check("listBatches", ann.get("/api/v1/batches?limit=1"), 200);
    check("listBatches", ann.get("/api/v1/batches?limit=none"), 400);
    check("showBatch", ann.get(one), 200);
    check("showBatch", ann.get("/api/v1/batches/987654"), 404);
    check("holdBatch", ann.post(one + "/hold", "{\"reason\": \"wait\"}"), 200);
    Answer release =
        ann.post(
            "/api/v1/releases",
            "{\"batch_id\": %s, \"canary\": 1, \"ramp\": \"all\"}"
                .formatted(created.json().get("batch_id").asString()));
    check("startRelease", release, 201);
    assertThat(release.json().get("released").asInt()).isOne();
    check("startRelease", ann.post("/api/v1/releases", "{\"canary\": 1}"), 422);
    check("startRelease", ann.post("/api/v1/releases", "{\"category\": \"unknown\"}"), 422);
    check(
        "startRelease",
        ann.post("/api/v1/releases", "{\"ids\": [1], \"canary\": 1, \"ramp\": \"x\"}"),
        422);
    String started = "/api/v1/releases/" + release.json().get("id").asString();
    check("listReleases", ann.get("/api/v1/releases"), 200);
    check("showRelease", ann.get(started), 200);
    check("showRelease", ann.get("/api/v1/releases/987654"), 404);
    check("stopRelease", ann.post(started + "/stop", ""), 200);
    check("stopRelease", ann.post(started + "/stop", ""), 409);
    check("cancelBatch", ann.post(one + "/cancel", "{}"), 200);
  }

  private void schedules() {
    String one = "/api/v1/schedules/nightly";
    String put = "{\"cron\": \"0 3 * * *\", \"zone\": \"Europe/Berlin\", \"design\": \"hello\"}";
    check("putSchedule", ann.send("PUT", one, put, "Content-Type", "application/json"), 200);
    check(
        "putSchedule",
        ann.send(
            "PUT",
            one,
            "{\"cron\": \"at dawn\", \"kind\": \"x\"}",
            "Content-Type",
            "application/json"),
        422);
    check(
        "putSchedule",
        ann.send(
            "PUT",
            one,
            "{\"every\": \"soon\", \"kind\": \"x\"}",
            "Content-Type",
            "application/json"),
        422);
    check(
        "putSchedule",
        ann.send("PUT", one, "{\"every\": \"1h\"}", "Content-Type", "application/json"),
        422);
    check(
        "putSchedule",
        ann.send(
            "PUT",
            one,
            "{\"every\": \"1h\", \"overlap\": \"no\"}",
            "Content-Type",
            "application/json"),
        422);
    check("listSchedules", ann.get("/api/v1/schedules"), 200);
    check("showSchedule", ann.get(one), 200);
    check("showSchedule", ann.get("/api/v1/schedules/none"), 404);
    check("pauseSchedule", ann.post(one + "/pause", ""), 200);
    check("resumeSchedule", ann.post(one + "/resume", "{}"), 200);
    check("runSchedule", ann.post(one + "/run", ""), 201);
    assertThat(ann.send("DELETE", one, null).status()).isEqualTo(204);
    check("deleteSchedule", ann.send("DELETE", one, null), 404);
  }

  private void limits() {
    String one = "/api/v1/limits/queue:default";
    String put = "{\"concurrent\": 5, \"per_key\": 1, \"rate\": \"100/1m\", \"burst\": 20}";
    check("setLimit", ann.send("PUT", one, put, "Content-Type", "application/json"), 200);
    for (String bad :
        new String[] {
          "{}", "{\"concurrent\": 0}", "{\"rate\": \"often\"}", "{\"rate\": \"1/0s\"}"
        }) {
      check("setLimit", ann.send("PUT", one, bad, "Content-Type", "application/json"), 422);
    }
    check(
        "setLimit",
        ann.send("PUT", "/api/v1/limits/design:none", put, "Content-Type", "application/json"),
        404);
    check("listLimits", ann.get("/api/v1/limits"), 200);
    assertThat(ann.send("DELETE", one, null).status()).isEqualTo(204);
    check("removeLimit", ann.send("DELETE", one, null), 404);
    String weight = "/api/v1/weights/acme/eu";
    assertThat(
            ann.send("PUT", weight, "{\"weight\": 3}", "Content-Type", "application/json").status())
        .isEqualTo(204);
    assertThat(database.value("SELECT fairness_key || weight FROM holdfast.fairness_weights"))
        .isEqualTo("acme/eu3");
    for (String bad : new String[] {"{}", "{\"weight\": 0}", "{\"weight\": 1.5}"}) {
      check("setWeight", ann.send("PUT", weight, bad, "Content-Type", "application/json"), 422);
    }
    ann.send("PUT", weight, "{\"weight\": 1}", "Content-Type", "application/json");
  }

  private void actions() {
    long id = queue.enqueue();
    act(id, "holdTicket", "hold", "{\"reason\": \"r\"}", 200);
    act(id, "holdTicket", "hold", "{\"reason\": \"r\"}", 409);
    check("stats", ann.get("/api/v1/stats"), 200);
    figures();
    act(id, "editPayload", "payload", "{\"payload\": {\"a\": null}}", 200);
    act(id, "useDesign", "design", "{\"version\": 7}", 409);
    act(id, "assignTicket", "assign", "{\"assignee\": \"bob\"}", 200);
    act(id, "releaseTicket", "release", "{\"guidance\": \"g\"}", 200);
    act(id, "undoRelease", "unrelease", "{}", 200);
    Answer bulk = ann.post("/api/v1/tickets/release", "{\"ids\": [" + id + ", 0]}");
    check("releaseTickets", bulk, 200);
    check("showBulk", ann.get(bulk.header("Location").orElseThrow()), 200);
    check("showBulk", ann.get("/api/v1/bulk/none"), 404);
    String undo = bulk.header("Location").orElseThrow() + "/undo";
    check("undoReleases", ann.post(undo, "{}"), 200);
    check("undoReleases", ann.post(undo, "{}"), 404);
    act(id, "releaseTicket", "release", "{}", 200);
    long lease = queue.claim();
    act(id, "abortRetry", "abort-retry", "", 202);
    act(id, "setAutoRetry", "auto-retry", "{\"enabled\": false}", 200);
    queue.succeed(id, lease);
    act(id, "rejectTicket", "reject", "{\"feedback\": \"f\"}", 200);
    queue.succeed(id, queue.claim());
    act(id, "approveTicket", "approve", "", 200);
    check("showTicket", ann.get(TICKET + id), 200);
    act(queue.enqueue(), "cancelTicket", "cancel", "{}", 200);
    act(id, "replayTicket", "replay", "{\"from\": \"a\"}", 422);
    act(id, "replayTicket", "replay", "{}", 422);
    long parked =
        queue.park(new ApprovalStore.Asked(1, 1, "c", "run_command", "{\"c\": 1}", "", "h"));
    act(parked, "decideToolCall", "decide-call", "{\"decision\": \"maybe\"}", 422);
    check("showTicket", ann.get(TICKET + parked), 200);
    act(parked, "decideToolCall", "decide-call", "{\"decision\": \"deny\"}", 200);
    act(parked, "decideToolCall", "decide-call", "{\"decision\": \"deny\"}", 409);
    questions();
  }

  private void questions() {
    queue.claim(10);
    long id = queue.ask(Question.of("which colour?", List.of("red", "blue")));
    check("showTicket", ann.get(TICKET + id), 200);
    act(id, "answerTicket", "answer", "{}", 422);
    act(id, "answerTicket", "answer", "{\"answer\": \"green\"}", 422);
    act(id, "answerTicket", "answer", "{\"answer\": null}", 422);
    for (int i = 0; i < 2; i++) {
      Answer answered =
          ann.send(
              "POST",
              TICKET + id + "/answer",
              "{\"answer\": \"red\"}",
              "Content-Type",
              "application/json",
              "Idempotency-Key",
              "\"answer-once\"");
      check("answerTicket", answered, 200);
    }
    act(id, "answerTicket", "answer", "{\"answer\": \"red\"}", 409);
    Answer shown = ann.get(TICKET + id);
    check("showTicket", shown, 200);
    assertThat(shown.json().path("guidance").get(0).path("answer").path("value").stringValue())
        .isEqualTo("red");
    assertThat(shown.json().path("question").isNull()).isTrue();
  }

  private void act(long id, String operation, String action, String body, int status) {
    check(operation, ann.post(TICKET + id + "/" + action, body), status);
  }

  private void check(String operationId, Answer answer, int status) {
    assertThat(answer.status()).as(operationId + ": " + answer).isEqualTo(status);
    asked.add(operationId);
    JsonNode responses = operation(operationId).get("responses");
    JsonNode response =
        resolved(
            responses.has("" + status) ? responses.get("" + status) : responses.get("default"));
    String type = answer.header("Content-Type").orElseThrow().replaceAll(";.*", "");
    JsonNode content = response.get("content");
    assertThat(content.propertyNames()).as(operationId).contains(type);
    if (type.endsWith("json")) {
      ObjectNode schema = JSON.createObjectNode();
      schema.setAll((ObjectNode) content.get(type).get("schema"));
      schema.set("components", document.get("components"));
      assertThat(new JsonSchema(schema, "the answer").problems(answer.json()))
          .as(operationId + ": " + answer)
          .isEmpty();
    }
  }

  private JsonNode operation(String id) {
    for (JsonNode path : document.get("paths")) {
      for (JsonNode operation : path) {
        if (operation.get("operationId").asString().equals(id)) {
          return operation;
        }
      }
    }
    throw new AssertionError("no operation " + id);
  }
}
