package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.access.Access;
import dev.holdfast.web.port.HttpPort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@WithDatabase
class AbortRetryRouteIT {
  private final TicketDatabase database;
  private final TestQueue queue;
  @AutoClose private final WebServer open;
  @AutoClose private final WebServer guarded;
  @AutoClose private final HttpClient http = HttpClient.newHttpClient();

  AbortRetryRouteIT(TestDatabase testDatabase) {
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
    WebPorts ports = WebFixture.ports(testDatabase.dataSource());
    this.open = server(ports, WebFixture.local("ann"));
    this.guarded = server(ports, WebFixture.bearers());
  }

  private static WebServer server(WebPorts ports, Access access) {
    return WebServer.start(
        HttpPort.bind("127.0.0.1", 0),
        1_000_000,
        access,
        Pages.plain(),
        List.of(WebFixture.api(ports)));
  }

  private HttpResponse<String> byMe(String id, String... headers)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(headers));
    all.addAll(List.of("Authorization", "Bearer " + WebFixture.LOCAL));
    return post(open, id, all.toArray(String[]::new));
  }

  private HttpResponse<String> post(WebServer server, String id, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:%s/api/v1/tickets/%s/abort-retry"
                        .formatted("" + server.port(), id)))
            .POST(HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private long running() {
    long id = queue.enqueue();
    queue.claim(1);
    return id;
  }

  private long orders(long id) {
    return database.number("SELECT count(*) FROM holdfast.retry_aborts WHERE ticket_id = ?", id);
  }

  @Test
  @DisplayName("D34: abort-retry over HTTP is ordered for a running ticket, in the person's name")
  void ordered() throws Exception {
    long id = running();
    HttpResponse<String> response = byMe("" + id);

    assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
    assertThat(orders(id)).isEqualTo(1);
    assertThat(
            database.column(
                "SELECT actor FROM holdfast.ticket_activity WHERE ticket_id = ? AND action LIKE"
                    + " '%retry%'",
                id))
        .containsExactly("ann");
  }

  @Test
  @DisplayName("D34: abort-retry sent again with its Idempotency-Key does not end the next wait")
  void sentAgain() throws Exception {
    long id = queue.enqueue();
    queue.fail(id, queue.claim(), Category.SYSTEM_ERROR);
    HttpResponse<String> first = byMe("" + id, "Idempotency-Key", "try now");
    queue.fail(id, queue.claim(), Category.SYSTEM_ERROR);
    HttpResponse<String> again = byMe("" + id, "Idempotency-Key", "try now");

    assertThat(again.statusCode()).isEqualTo(202);
    assertThat(again.body()).isEqualTo(first.body()).contains("tried_now");
    assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
    assertThat(queue.claim(1)).isEmpty();
  }

  private HttpResponse<String> autoRetry(String id, String body)
      throws IOException, InterruptedException {
    URI uri =
        URI.create(
            "http://127.0.0.1:%s/api/v1/tickets/%s/auto-retry".formatted("" + open.port(), id));
    return http.send(
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer " + WebFixture.LOCAL)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  @DisplayName("D33, D34: auto-retry over HTTP is written to the ticket; garbage changes nothing")
  void autoRetry() throws Exception {
    String id = "" + running();
    assertThat(autoRetry(id, "{\"enabled\": false, \"by\": \"ann\"}").statusCode()).isEqualTo(200);
    String find = "SELECT enabled || ' ' || changed_by FROM holdfast.auto_retry_switches";
    String mine = find + " WHERE ticket_id = " + id;
    assertThat(database.column(mine)).containsExactly("false ann");
    for (String garbage :
        new String[] {"{}", "[]", "7", "", "{\"enabled\": \"no\"}", "{\"enabled\": null}"}) {
      assertThat(autoRetry(id, garbage).statusCode()).as(garbage).isBetween(400, 422);
    }
    assertThat(database.column(mine)).containsExactly("false ann");
    assertProblem(autoRetry("987654321", "{\"enabled\": true}"), 404);
  }

  @Test
  @DisplayName("no such ticket, one that does not run, no number: a problem document each")
  void refused() throws Exception {
    assertProblem(byMe("987654321"), 404);
    assertProblem(byMe("" + queue.enqueue()), 409);
    assertProblem(byMe("seven"), 400);
  }

  @Test
  @DisplayName("with tokens configured only an operator's may, and nothing is ordered without")
  void tokens() throws Exception {
    long id = running();
    assertProblem(post(guarded, "" + id), 401);
    assertProblem(post(guarded, "" + id, "Authorization", "Bearer wrong"), 401);
    assertProblem(post(guarded, "" + id, "Authorization", "Bearer " + WebFixture.VIEWER), 403);
    assertThat(orders(id)).isZero();
    assertThat(
            post(guarded, "" + id, "Authorization", "Bearer " + WebFixture.OPERATOR).statusCode())
        .isEqualTo(202);
  }

  @Test
  @DisplayName("a page of another site cannot order anything through somebody's browser")
  void otherSite() throws Exception {
    long id = running();
    assertProblem(byMe("" + id, "Origin", "https://evil.example"), 403);
    assertProblem(byMe("" + id, "Origin", "null"), 403);
    assertProblem(byMe("" + id, "Origin", "::"), 403);
    assertThat(orders(id)).isZero();
    assertThat(byMe("" + id, "Origin", "http://127.0.0.1:" + open.port()).statusCode())
        .isEqualTo(202);
  }

  private static void assertProblem(HttpResponse<String> response, int status) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    JsonNode problem = new JsonMapper().readTree(response.body());
    assertThat(problem.get("status").asInt()).isEqualTo(status);
    assertThat(problem.get("detail").asString()).isNotBlank();
  }
}
