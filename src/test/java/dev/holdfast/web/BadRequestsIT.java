package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ApiClient.Answer;
import dev.holdfast.web.access.Role;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
class BadRequestsIT {
  private static final String TICKETS = "/api/v1/tickets";

  private final TicketDatabase database;
  private final TestQueue queue;
  @AutoClose private final HikariDataSource pool;
  @AutoClose private final WebServer server;
  @AutoClose private final ApiClient ann;

  BadRequestsIT(TestDatabase testDatabase) {
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
    this.pool = database.pool(4);
    Routes broken =
        routes ->
            routes.get(
                "/broken",
                context -> {
                  throw new IllegalStateException("the password is hunter2");
                },
                Role.VIEWER);
    this.server =
        WebFixture.server(WebFixture.bearers(pool), WebFixture.api(WebFixture.ports(pool)), broken);
    this.ann = new ApiClient(server.port(), WebFixture.ANN);
  }

  private Answer put(String path, String json) {
    return ann.send("PUT", path, json, "Content-Type", "application/json");
  }

  private static void assertProblem(Answer answer, int status) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
    assertThat(answer.header("Content-Type")).hasValue("application/problem+json");
    assertThat(answer.json().get("status").asInt()).isEqualTo(status);
    assertThat(answer.json().get("type").asString()).isEqualTo("about:blank");
    assertThat(answer.detail()).isNotBlank().doesNotContain("dev.holdfast", "Exception", "java.");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /nowhere, 404",
    "GET, /api/v1/nowhere, 404",
    "GET, /api/v1/tickets/987654321, 404",
    "GET, /api/v1/tickets/seven, 400",
    "GET, /api/v1/tickets/-1, 400",
    "GET, /api/v1/tickets/%2B1, 400",
    "GET, /api/v1/tickets/٣, 400",
    "GET, /api/v1/tickets/9999999999999999999, 400",
    "GET, /api/v1/tickets/1%00, 400",
    "GET, /api/v1/tickets/1?fields=all, 400",
    "GET, /api/v1/tickets?state=onhold, 400",
    "GET, /api/v1/tickets?category=%27;DROP, 400",
    "GET, /api/v1/tickets?limit=501, 400",
    "GET, /api/v1/tickets?limit=1e2, 400",
    "GET, /api/v1/tickets?before=x, 400",
    "GET, /api/v1/tickets?created_from=yesterday, 400",
    "GET, /api/v1/tickets?queue=%00, 400",
    "GET, /api/v1/tickets?staet=done, 400",
    "GET, /api/v1/tickets?fingerprint=, 400",
    "GET, /api/v1/tickets?fingerprint=0123456, 400",
    "GET, /api/v1/tickets?queue=, 400",
    "GET, /api/v1/tickets?state=%20, 400",
    "GET, /api/v1/tickets?limit=, 400",
    "GET, /api/v1/batches?before=, 400",
    "GET, /api/v1/events?ticket=x, 400",
    "GET, /api/v1/events?named=no, 400",
    "GET, /api/v1/tickets?queue=a&queue=b, 400",
    "GET, /api/v1/figures?windwo=7d, 400",
    "GET, /api/v1/queues?queue=mail, 400",
    "GET, /api/v1/workers?limit=1, 400",
    "GET, /api/v1/stats?queue=mail, 400",
    "GET, /api/v1/designs?name=x, 400",
    "GET, /api/v1/designs/x?version=1, 400",
    "GET, /api/v1/limits?scope=queue:mail, 400",
    "GET, /api/v1/schedules?queue=mail, 400",
    "GET, /api/v1/schedules/x?at=1, 400",
    "GET, /api/v1/batches/1?state=done, 400",
    "GET, /api/v1/releases/1?x=1, 400",
    "GET, /api/v1/bulk/1?x=1, 400",
    "GET, /api/v1/tickets/1/transcript?limit=1, 400",
    "GET, /broken, 500",
    "DELETE, /api/v1/tickets/1, 405",
    "PUT, /api/v1/queues, 405",
    "GET, /api/v1/tickets/1/release, 405",
    "POST, /api/v1/tickets/987654321/release, 404",
    "POST, /api/v1/tickets/seven/release, 400",
    "POST, /api/v1/queues/no%20name/pause, 422",
  })
  @DisplayName("garbage in paths, ids and filters is a problem document, never a fault")
  void garbage(String method, String path, int status) {
    assertProblem(
        ann.send(method, path.replace("٣", "%D9%A3"), method.equals("GET") ? null : ""), status);
  }

  @Test
  @DisplayName("a refusal quotes letters of all scripts, in UTF-8")
  void scripts() {
    assertThat(
            ann.get("/api/v1/tickets/1?Jörg日=1".replace("ö", "%C3%B6").replace("日", "%E6%97%A5"))
                .detail())
        .isEqualTo("there is no parameter \"Jörg日\" here, nor any other");
  }

  @Test
  @DisplayName("who asks for a web socket is answered as everybody is, and no session is made")
  void webSocket() {
    try (ApiClient stranger = new ApiClient(server.port(), null)) {
      Answer answer = stranger.get("/api/v1/queues", "Sec-WebSocket-Version", "13");
      assertProblem(answer, 401);
      assertThat(answer.header("Set-Cookie")).isEmpty();
    }
    assertThat(ann.get("/api/v1/queues", "Sec-WebSocket-Version", "13").status()).isEqualTo(200);
  }

  @Test
  @DisplayName("a header gives a request no other method")
  void otherMethod() {
    assertProblem(ann.send("POST", "/api/v1/queues", "", "X-HTTP-Method-Override", "GET"), 405);
  }

  @Test
  @DisplayName("where there are no parameters, the refusal of one says so")
  void noParameters() {
    assertThat(ann.get("/api/v1/tickets/1?x=1").detail())
        .isEqualTo("there is no parameter \"x\" here, nor any other");
    assertThat(ann.get("/api/v1/figures?x=1").detail())
        .isEqualTo("there is no parameter \"x\"; there are: window");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "DELETE | /api/v1/tickets | GET, HEAD, POST",
        "POST | /api/v1/queues | GET, HEAD",
        "OPTIONS | /api/v1/tickets/1/release | POST",
        "HEAD | /api/v1/events | GET",
        "POST | /api/v1/events | GET",
        "PATCH | /api/v1/schedules/nightly | DELETE, GET, HEAD, PUT",
        "DELETE | /login | GET, HEAD, POST",
      })
  @DisplayName("a method that a path has not is refused with those that it has")
  void allow(String method, String path, String allowed) {
    Answer answer = ann.send(method, path, null);
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.header("Allow")).hasValue(allowed);
  }

  @Test
  @DisplayName("a body that is compressed is refused as such; identity is none")
  void encoded() {
    String release = TICKETS + "/" + queue.enqueue() + "/hold";
    Answer refused = ann.post(release, "{\"reason\": \"x\"}", "Content-Encoding", "gzip");
    assertProblem(refused, 415);
    assertThat(refused.detail()).isEqualTo("send the body as it is, without Content-Encoding");
    assertThat(ann.post(release, "{\"reason\": \"x\"}", "Content-Encoding", "Identity").status())
        .isEqualTo(200);
  }

  @Test
  @DisplayName("what is no JSON, or not what was asked for, says what is wrong with it")
  void bodies() {
    String release = TICKETS + "/" + queue.enqueue() + "/release";
    for (String body : List.of("{", "{\"by\": \"a\", \"by\": \"b\"}", "{} {}", "\0", "nul")) {
      assertProblem(ann.post(release, body), 400);
    }
    for (String body :
        List.of(
            "[]",
            "null",
            "7",
            "{\"guidance\": 7}",
            "{\"keep_retries\": \"yes\"}",
            "{\"guidence\": \"typo\"}",
            "{\"guidance\": \"\\u0000\", \"fresh\": {}}")) {
      assertProblem(ann.post(release, body), 422);
    }
    assertThat(ann.post(release, "{\"guidence\": \"typo\"}").detail()).contains("guidence");
    assertThat(put("/api/v1/limits/queue:x", "{\"rate\": 0}").detail())
        .isEqualTo("the body does not fit: rate: must be a text");
    assertThat(put("/api/v1/limits/queue:x", "{\"rate\": \"1/999999999d\"}").detail())
        .isEqualTo("rate: its time is from 1ms to 366d, not 999999999d");
    assertThat(put("/api/v1/schedules/x", "{\"every\": \"1ms\", \"kind\": \"k\"}").detail())
        .isEqualTo("every must be from 1 second to 10 years, not 1ms");
    assertThat(put("/api/v1/schedules/x", "{\"every\": \"1h\", \"overlap\": \"some\"}").detail())
        .isEqualTo("the body does not fit: overlap: \"some\" is none of allow, queue, skip");
    assertThat(put("/api/v1/weights/" + "k".repeat(10_240), "{\"weight\": 2}").detail())
        .isEqualTo("the address is too long: take shorter names in it");
    assertProblem(ann.send("POST", release, "by=ann", "Content-Type", "text/plain"), 415);
    assertProblem(ann.send("POST", release, "{}"), 415);
    assertProblem(ann.post(release, "[".repeat(50_000)), 400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf8mb4", "u?8", "\"\""})
  @DisplayName("text in a character set that there is not is refused, whoever sends it")
  void charsets(String name) {
    String form = "application/x-www-form-urlencoded; charset=" + name;
    String json = "application/json; charset=" + name;
    String release = TICKETS + "/" + queue.enqueue() + "/release";
    assertThat(ann.send("POST", release, "{}", "Content-Type", json).status()).isNotEqualTo(500);
    assertProblem(ann.send("POST", "/login", "token=x", "Content-Type", form), 415);
  }

  @Test
  @DisplayName("values that no ticket can have are refused with the reason")
  void values() {
    for (String body :
        List.of(
            "{}",
            "{\"kind\": \"a b\"}",
            "{\"kind\": \"x\", \"design\": \"none\", \"priority\": 1.5}",
            "{\"kind\": \"x\", \"delay\": \"soon\"}",
            "{\"kind\": \"x\", \"delay\": \"1s\", \"run_at\": \"2030-01-01T00:00:00Z\"}",
            "{\"kind\": \"x\", \"run_at\": \"+292278994-08-17T07:12:55.807Z\"}",
            "{\"kind\": \"x\", \"expires\": \"soon\"}",
            "{\"kind\": \"x\", \"expires\": \"2020-01-01T00:00:00Z\"}",
            "{\"kind\": \"x\", \"delay\": \"2h\", \"expires\": \"1h\"}",
            "{\"kind\": \"x\", \"max_cost_usd\": -1}",
            "{\"kind\": \"x\", \"title\": \"\\u0000\"}",
            "{\"kind\": \"x\", \"title\": \"\\ud800\"}",
            "{\"kind\": \"x\", \"payload\": {\"a\": \"\\u0000\"}}")) {
      assertProblem(ann.post(TICKETS, body), 422);
    }
    for (String ids : List.of("[null]", "[1, null]", "[-1]")) {
      String body = "{\"canary\": 1, \"ids\": " + ids + "}";
      assertProblem(ann.post("/api/v1/releases", body), 422);
    }
    assertProblem(ann.post(TICKETS, "{\"kind\": \"x\", \"run_at\": \"infinity\"}"), 400);
    assertProblem(ann.post(TICKETS, "{\"kind\": \"x\", \"run_at\": \"-infinity\"}"), 400);
    String stranger = "{\"kind\": \"x\", \"by\": \"" + "n".repeat(101) + "\"}";
    assertProblem(ann.post(TICKETS, stranger), 403);
    assertProblem(ann.post(TICKETS, "{\"design\": \"none\"}"), 404);
    assertProblem(ann.post(TICKETS, "{\"kind\": \"x\"}", "Idempotency-Key", "k".repeat(201)), 400);
    assertThat(database.number("SELECT count(*) FROM holdfast.tickets WHERE kind = 'x'")).isZero();
  }

  @Test
  @DisplayName("people's words: oversized, empty where they are needed, or not storable")
  void words() {
    long id = queue.enqueue();
    String hold = TICKETS + "/" + id + "/hold";
    assertProblem(ann.post(hold, "{}"), 422);
    assertProblem(ann.post(hold, "{\"reason\": \"  \"}"), 422);
    assertProblem(ann.post(hold, "{\"reason\": \"\\u0000\"}"), 422);
    assertProblem(ann.post(TICKETS + "/" + id + "/cancel", "{\"reason\": \"  \"}"), 422);
    assertThat(database.state(id)).isEqualTo("ready");
    assertThat(ann.post(hold, "{\"reason\": \"<script>alert(1)</script>\"}").status())
        .isEqualTo(200);
    String release = TICKETS + "/" + id + "/release";
    assertProblem(ann.post(release, "{\"guidance\": \"" + "x".repeat(100_001) + "\"}"), 422);
    assertProblem(ann.post(release, "{\"guidance\": \"\\u0000\"}"), 422);
    assertProblem(ann.post(release, "{}", "If-Match", "no quotes"), 400);
    assertProblem(ann.post(release, "{}", "If-Match", "W/\"1-1\""), 412);
    String payload = TICKETS + "/" + id + "/payload";
    assertProblem(
        ann.post(payload, "{\"payload\": \"" + "x".repeat(WebFixture.MAX_PAYLOAD) + "\"}"), 422);
    assertProblem(ann.post(payload, "{}"), 422);
    assertThat(database.state(id)).isEqualTo("on_hold");
  }

  @Test
  @DisplayName("a body over the limit is 413, whether it says its length or not")
  void tooLarge() throws Exception {
    byte[] large = body(400_000);
    for (HttpRequest.BodyPublisher body :
        List.of(
            BodyPublishers.ofByteArray(large),
            BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large)))) {
      HttpRequest request =
          HttpRequest.newBuilder(ann.uri(TICKETS))
              .header("Authorization", "Bearer " + WebFixture.ANN)
              .header("Content-Type", "application/json")
              .expectContinue(true)
              .POST(body)
              .build();
      assertProblem(new Answer(ann.http().send(request, BodyHandlers.ofString())), 413);
    }
  }

  @Test
  @DisplayName("who sends a whole body before reading gets the answer of a refused one, too")
  void refusedBeforeItsEnd() throws Exception {
    String length = "Content-Length: " + body(20_000_000).length;
    assertThat(answerBehind(WebFixture.ANN, length)).startsWith("HTTP/1.1 413 ");
    String chunked = "Transfer-Encoding: chunked";
    assertThat(answerBehind(WebFixture.ANN, chunked)).startsWith("HTTP/1.1 413 ");
    assertThat(answerBehind("nobody's", chunked)).startsWith("HTTP/1.1 401 ");
  }

  @Test
  @DisplayName("who reads while sending has the answer of a refused body at once")
  void refusedWhileSending() throws Exception {
    try (Socket socket = send(WebFixture.ANN, "Content-Length: 20000000")) {
      socket.getOutputStream().write(body(1000));
      assertThat(firstLine(socket)).startsWith("HTTP/1.1 413 ");
    }
  }

  @Test
  @DisplayName("who asks first whether a body is welcome is not asked for one that is refused")
  void refusedUnsent() throws Exception {
    try (Socket socket = send(WebFixture.ANN, "Content-Length: 20000000\r\nExpect: 100-continue")) {
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 413 ").doesNotContain("100 Continue");
    }
  }

  private static byte[] body(int size) {
    return ("{\"kind\": \"" + "x".repeat(size) + "\"}").getBytes(StandardCharsets.UTF_8);
  }

  /** The answer to a body of 20 MB, the first line. */
  private String answerBehind(String token, String how) throws IOException {
    byte[] body = body(20_000_000);
    try (Socket socket = send(token, how)) {
      OutputStream out = socket.getOutputStream();
      if (how.startsWith("Content-Length")) {
        out.write(body);
      } else {
        out.write((Integer.toHexString(body.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.write(body);
        out.write("\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      }
      return firstLine(socket);
    }
  }

  private static String firstLine(Socket socket) throws IOException {
    return new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
        .readLine();
  }

  /** A request without its body. */
  private Socket send(String token, String how) throws IOException {
    Socket socket = new Socket("127.0.0.1", server.port());
    socket.setSoTimeout(5000);
    String head =
        "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\n"
            .formatted(TICKETS, token, how);
    socket
        .getOutputStream()
        .write(
            (head + "Content-Type: application/json\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/tickets?queue=%zz",
        "/api/v1/tickets?text=50%",
        "/api/v1/tickets?text=50%&limit=1",
        "/api/v1/tickets?%zz=a",
        "/api/v1/batches?before=%zz",
        "/api/v1/figures?window=%zz",
        "/api/v1/events?ticket=%zz",
        "/login?next=%zz"
      })
  @DisplayName("a value whose % sequences cannot be read is refused, not taken for none")
  void escapes(String path) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket.setSoTimeout(10_000);
      String head =
          "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(path, WebFixture.ANN);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
          .isEqualTo("HTTP/1.1 400");
    }
  }

  @Test
  @DisplayName("what is no HTTP is refused, and the server goes on")
  void noHttp() throws IOException {
    for (String text :
        List.of(
            "GARBAGE\r\n\r\n",
            "GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(20_000) + "\r\n\r\n")) {
      try (Socket socket = new Socket("127.0.0.1", server.port())) {
        socket.setSoTimeout(10_000);
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
        InputStream in = socket.getInputStream();
        assertThat(new String(in.readNBytes(12), StandardCharsets.UTF_8)).startsWith("HTTP/1.1 4");
      }
    }
    assertThat(ann.get("/api/v1/stats").status()).isEqualTo(200);
  }
}
