package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ApiClient.Answer;
import dev.holdfast.web.access.Access;
import dev.holdfast.web.access.OtherLogins;
import dev.holdfast.web.access.Role;
import io.javalin.http.Handler;
import java.io.IOException;
import java.net.CookieManager;
import java.net.HttpCookie;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
class AccessIT {
  private static final String TICKETS = "/api/v1/tickets";
  private static final String FORM = "application/x-www-form-urlencoded";

  private final TicketDatabase database;
  private final TestQueue queue;
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-11-21T12:00:00Z"));
  @AutoClose private final HikariDataSource pool;
  @AutoClose private final WebServer server;
  @AutoClose private final ApiClient nobody;

  AccessIT(TestDatabase testDatabase) {
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
    this.pool = database.pool(4);
    Access access =
        Access.of(WebFixture.tokens(), OtherLogins.NONE, () -> "a key for tests", now::get);
    Routes csrf =
        routes ->
            routes.get(
                "/csrf", context -> context.result(Visitor.of(context).csrfToken()), Role.VIEWER);
    this.server = WebFixture.server(access, WebFixture.api(WebFixture.ports(pool)), csrf);
    this.nobody = new ApiClient(server.port(), null);
  }

  private Answer logIn(String form) {
    return nobody.send("POST", "/login", form, "Content-Type", FORM);
  }

  private String cookie(String form) {
    Answer answer = logIn(form);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(303);
    String cookie = answer.header("Set-Cookie").orElseThrow();
    assertThat(cookie).contains("HttpOnly").contains("SameSite=Lax").contains("Path=/");
    return cookie.substring(0, cookie.indexOf(';'));
  }

  private String csrf(String cookie) {
    return nobody.get("/csrf", "Cookie", cookie).response().body();
  }

  private long held() {
    long id = queue.enqueue();
    database.run("SELECT holdfast.hold_ticket(?, 'test', 'why')", id);
    return id;
  }

  @Test
  @DisplayName("without a token, with a wrong one, with a viewer's: nothing is shown or done")
  void tokens() {
    assertThat(nobody.get(TICKETS).status()).isEqualTo(401);
    assertThat(nobody.get(TICKETS).header("WWW-Authenticate")).hasValue("Bearer");
    for (String header : List.of("Bearer wrong", "Basic YTpi", "Bearer ", WebFixture.ANN)) {
      assertThat(nobody.get(TICKETS, "Authorization", header).status()).as(header).isEqualTo(401);
    }
    try (ApiClient viewer = new ApiClient(server.port(), WebFixture.VIEWER)) {
      assertThat(viewer.get(TICKETS).status()).isEqualTo(200);
      long id = held();
      assertThat(viewer.post(TICKETS + "/" + id + "/release", "{}").status()).isEqualTo(403);
      assertThat(viewer.post(TICKETS, "{\"kind\": \"x\"}").status()).isEqualTo(403);
      assertThat(database.state(id)).isEqualTo("on_hold");
    }
    assertThat(nobody.get("/openapi.json").status()).isEqualTo(200);
  }

  @Test
  @DisplayName(
      "a login acts under its token's name, and only with the page's own token against forgery")
  void login() {
    String cookie = cookie("token=" + WebFixture.OPERATOR + "&name=G%C3%BCl&next=/inbox");
    String release = TICKETS + "/" + held() + "/release";
    assertThat(nobody.get(TICKETS, "Cookie", cookie).status()).isEqualTo(200);
    assertThat(nobody.post(release, "{}", "Cookie", cookie).status()).isEqualTo(403);
    assertThat(nobody.post(release, "{}", "Cookie", cookie, "X-CSRF-Token", "x").status())
        .isEqualTo(403);
    String csrf = csrf(cookie);
    String other = csrf(cookie("token=" + WebFixture.ANN));
    assertThat(nobody.post(release, "{}", "Cookie", cookie, "X-CSRF-Token", other).status())
        .isEqualTo(403);
    assertThat(
            nobody
                .post(
                    release,
                    "{}",
                    "Cookie",
                    cookie,
                    "X-CSRF-Token",
                    csrf,
                    "Origin",
                    "http://evil.example")
                .status())
        .isEqualTo(403);
    Answer released = nobody.post(release, "{}", "Cookie", cookie, "X-CSRF-Token", csrf);
    assertThat(released.status()).as(released.toString()).isEqualTo(200);
    assertThat(
            database.column(
                "SELECT actor || ' ' || channel FROM holdfast.ticket_activity WHERE action ="
                    + " 'released' AND ticket_id = ?",
                released.json().get("id").asLong()))
        .containsExactly(WebFixture.tokens().getFirst().actor() + " api")
        .allMatch(name -> name.matches("operator-[0-9a-f]{6} api"));
  }

  @Test
  @DisplayName("a login of a named token is that person's, whatever name is typed")
  void namedLogin() {
    String cookie = cookie("token=" + WebFixture.ANN + "&name=mallory");
    long id = held();
    nobody.post(
        TICKETS + "/" + id + "/cancel", "{}", "Cookie", cookie, "X-CSRF-Token", csrf(cookie));
    assertThat(
            database.column(
                "SELECT actor FROM holdfast.ticket_activity WHERE action = 'cancelled'"))
        .containsExactly("ann");
  }

  @ParameterizedTest(name = "X-Forwarded-Proto {0}, Host {1}: {2}")
  @CsvSource(
      nullValues = "-",
      textBlock =
          """
          https,         -,                    true
          'https, http', -,                    true
          'http, https', -,                    false
          http,          -,                    false
          -,             -,                    false
          -,             holdfast.example,     true
          -,             Holdfast.Example:443, true
          -,             holdfast.example:8080, false
          """)
  @DisplayName(
      "a login's cookie is for TLS alone where the browser came so: by the word of the first proxy,"
          + " or as the console's address is https")
  void secureCookie(@Nullable String protocol, @Nullable String host, boolean secure)
      throws IOException {
    URI console = URI.create("https://holdfast.example/");
    try (WebServer behind = WebFixture.server(WebFixture.bearers().reachedAt(console));
        Socket socket = new Socket("127.0.0.1", behind.port())) {
      socket.setSoTimeout(10_000);
      String form = "token=" + WebFixture.ANN;
      String request =
          ("POST /login HTTP/1.1\r\nConnection: close\r\nContent-Type: " + FORM)
              + ("\r\nContent-Length: " + form.length() + "\r\n")
              + ("Host: " + (host == null ? "127.0.0.1" : host) + "\r\n")
              + (protocol == null ? "" : "X-Forwarded-Proto: " + protocol + "\r\n")
              + "\r\n"
              + form;
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answer).startsWith("HTTP/1.1 303").containsPattern("Set-Cookie: holdfast-[^=]+=");
      assertThat(answer.contains("; Secure")).as(answer).isEqualTo(secure);
    }
  }

  @Test
  @DisplayName("a forged, changed or old cookie is no login")
  void forged() {
    String cookie = cookie("token=" + WebFixture.VIEWER);
    assertThat(nobody.get(TICKETS, "Cookie", cookie).status()).isEqualTo(200);
    List<String> forged = new ArrayList<>();
    String name = cookie.substring(0, cookie.indexOf('=') + 1);
    for (int i = name.length(); i < cookie.length(); i++) {
      char changed = cookie.charAt(i) == 'A' ? 'B' : 'A';
      // The last digit of base64 has bits that say nothing.
      if (i < cookie.length() - 1) {
        forged.add(cookie.substring(0, i) + changed + cookie.substring(i + 1));
      }
    }
    forged.addAll(
        List.of(
            name,
            name + ".",
            name + "...",
            name + "x".repeat(5000),
            name + "\"" + cookie.substring(name.length()) + "\"x",
            cookie.substring(0, cookie.lastIndexOf('.'))));
    for (String each : forged) {
      assertThat(nobody.get(TICKETS, "Cookie", each).status()).as(each).isEqualTo(401);
    }
    now.updateAndGet(time -> time.plus(Duration.ofHours(12).plusSeconds(1)));
    assertThat(nobody.get(TICKETS, "Cookie", cookie).status()).isEqualTo(401);
  }

  @Test
  @DisplayName("a login leads back to a page of this server only, and logging out ends it")
  void next() {
    String token = "token=" + WebFixture.ANN + "&next=";
    assertThat(logIn(token + "/tickets%3Fstate%3Ddone").header("Location"))
        .hasValue("/tickets?state=done");
    for (String next :
        List.of(
            "//evil.example", "https://evil.example", "/%5Cevil", "javascript:x", "/%0d%0aX:y")) {
      assertThat(logIn(token + next).header("Location")).as(next).hasValue("/");
    }
    Answer page = nobody.get("/csrf", "Accept", "text/html");
    assertThat(page.status()).isEqualTo(303);
    assertThat(page.header("Location")).hasValue("/login?next=%2Fcsrf");
    String cookie = cookie(token);
    Answer out =
        nobody.send(
            "POST", "/logout", "_csrf=" + csrf(cookie), "Content-Type", FORM, "Cookie", cookie);
    assertThat(out.status()).as(out.toString()).isEqualTo(303);
    assertThat(out.header("Set-Cookie").orElseThrow())
        .startsWith(cookie.substring(0, cookie.indexOf('=')) + "=; ")
        .contains("1970");
  }

  @Test
  @DisplayName("consoles of two databases at one host name do not end each other's logins")
  void twoConsoles() {
    Access other =
        Access.of(WebFixture.tokens(), OtherLogins.NONE, () -> "another database's key", now::get);
    try (WebServer second = WebFixture.server(other, WebFixture.api(WebFixture.ports(pool)));
        ApiClient there = new ApiClient(second.port(), null)) {
      CookieManager browser = new CookieManager();
      String form = "token=" + WebFixture.ANN;
      for (ApiClient console : List.of(nobody, there, nobody)) {
        keep(browser, console.send("POST", "/login", form, "Content-Type", FORM));
      }
      String cookies =
          browser.getCookieStore().getCookies().stream()
              .map(HttpCookie::toString)
              .collect(Collectors.joining("; "));
      assertThat(nobody.get(TICKETS, "Cookie", cookies).status()).isEqualTo(200);
      assertThat(there.get(TICKETS, "Cookie", cookies).status()).isEqualTo(200);
    }
  }

  private static void keep(CookieManager browser, Answer answer) {
    HttpCookie.parse(answer.header("Set-Cookie").orElseThrow())
        .forEach(each -> browser.getCookieStore().add(URI.create("http://127.0.0.1/"), each));
  }

  @Test
  @DisplayName(
      "who tries token after token is told to wait, and whoever has a right one behind the same"
          + " proxy is not")
  void guessing() {
    for (int i = 0; i < 20; i++) {
      assertThat(nobody.get(TICKETS, "Authorization", "Bearer wrong-" + i).status()).isEqualTo(401);
    }
    Answer refused = nobody.get(TICKETS, "Authorization", "Bearer wrong-20");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.header("Retry-After")).hasValue("60");
    assertThat(logIn("token=wrong").status()).isEqualTo(429);
    assertThat(nobody.get(TICKETS, "Authorization", "Bearer " + WebFixture.ANN).status())
        .isEqualTo(200);
    assertThat(logIn("token=" + WebFixture.ANN).status()).isEqualTo(303);
  }

  @Test
  @DisplayName(
      "22.7: behind a proxy that asks for a password, its header is no token of this server")
  void basic() {
    String cookie = cookie("token=" + WebFixture.ANN);
    for (int i = 0; i < 25; i++) {
      String[] both = {"Authorization", "Basic YTpi", "Cookie", cookie};
      assertThat(nobody.get(TICKETS, both).status()).isEqualTo(200);
      assertThat(nobody.get(TICKETS, "Authorization", "Basic YTpi").status()).isEqualTo(401);
    }
    assertThat(nobody.get(TICKETS, "Authorization", "Bearer wrong").status()).isEqualTo(401);
    for (String scheme : List.of("bearer ", "BEARER  ", "Bearer ")) {
      assertThat(nobody.get(TICKETS, "Authorization", scheme + WebFixture.ANN).status())
          .as(scheme)
          .isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 90000", "Transfer-Encoding: chunked"})
  @DisplayName("a login that is long, or whose end is not known, is refused before it is read")
  void longLogin(String header) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket.setSoTimeout(10_000);
      String head =
          "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\n%s\r\n\r\n"
              .formatted(FORM, header);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
          .isEqualTo("HTTP/1.1 413");
    }
  }

  @Test
  @DisplayName("HEAD is let in, refused and answered as GET is, without the body")
  void head() {
    assertThat(nobody.send("HEAD", "/login", null).status()).isEqualTo(200);
    assertThat(nobody.send("HEAD", TICKETS, null).status()).isEqualTo(401);
    assertThat(nobody.send("HEAD", "/nowhere", null).status()).isEqualTo(404);
    String ann = "Bearer " + WebFixture.ANN;
    Answer answer = nobody.send("HEAD", TICKETS, null, "Authorization", ann);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.response().body()).isEmpty();
    assertThat(nobody.send("HEAD", "/api/v1/events", null, "Authorization", ann).status())
        .isEqualTo(405);
  }

  @ParameterizedTest
  @ValueSource(strings = {"FFFFFFFFFFFFFFFF", "zz"})
  @DisplayName("a body that is broken is the sender's fault, and nothing for the log")
  void brokenBody(String chunk) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket.setSoTimeout(10_000);
      String request =
          "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%s\r\n"
              .formatted(TICKETS, WebFixture.ANN, chunk);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
          .isEqualTo("HTTP/1.1 400");
    }
  }

  @Test
  @DisplayName(
      "a visitor who reads answers slowly has three of four places at most: others are answered")
  void slowReader() throws Exception {
    CountDownLatch asked = new CountDownLatch(3);
    CountDownLatch end = new CountDownLatch(1);
    Routes slow =
        routes ->
            routes.get(
                "/slow",
                context -> {
                  asked.countDown();
                  context.result("" + end.await(60, TimeUnit.SECONDS));
                },
                Role.VIEWER);
    try (WebServer busy = WebFixture.server(WebFixture.bearers().answeringAtOnce(4), slow);
        ApiClient viewer = new ApiClient(busy.port(), WebFixture.VIEWER);
        ApiClient ann = new ApiClient(busy.port(), WebFixture.ANN)) {
      List<CompletableFuture<Integer>> answers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        answers.add(CompletableFuture.supplyAsync(() -> viewer.get("/slow").status()));
      }
      assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(viewer.get("/slow").status()).isEqualTo(503);
      CompletableFuture<Integer> anns =
          CompletableFuture.supplyAsync(() -> ann.get("/slow").status());
      end.countDown();
      assertThat(anns.get(60, TimeUnit.SECONDS)).isEqualTo(200);
      for (CompletableFuture<Integer> answer : answers) {
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(200);
      }
      for (int i = 0; i < 5; i++) {
        assertThat(viewer.get("/slow").status()).as("given back").isEqualTo(200);
      }
    }
  }

  /** A route that tells that it was asked, and answers at the end. */
  private static Handler waiting(CountDownLatch asked, CountDownLatch end) {
    return context -> {
      asked.countDown();
      context.result("" + end.await(60, TimeUnit.SECONDS));
    };
  }

  @Test
  @DisplayName(
      "whoever has no token keeps nobody out, however many answers that anybody may have they leave"
          + " unread")
  void unreadWithoutToken() throws Exception {
    CountDownLatch asked = new CountDownLatch(4);
    CountDownLatch end = new CountDownLatch(1);
    Routes open =
        routes -> {
          routes.get("/open", waiting(asked, end), Role.ANYONE);
          routes.get("/ours", context -> context.result("ours"), Role.VIEWER);
        };
    try (WebServer busy = WebFixture.server(WebFixture.bearers().answeringAtOnce(2), open);
        ApiClient stranger = new ApiClient(busy.port(), null);
        ApiClient viewer = new ApiClient(busy.port(), WebFixture.VIEWER)) {
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        answers.add(
            stranger
                .http()
                .sendAsync(
                    HttpRequest.newBuilder(stranger.uri("/open")).build(),
                    HttpResponse.BodyHandlers.ofString()));
      }
      assertThat(asked.await(60, TimeUnit.SECONDS)).as("all at once").isTrue();
      assertThat(viewer.get("/ours").status()).isEqualTo(200);
      end.countDown();
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        assertThat(answer.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      }
    }
  }

  @Test
  @DisplayName("nobody acts in another name than their token's: by is refused, in words")
  void noFreeName() {
    try (ApiClient shared = new ApiClient(server.port(), WebFixture.OPERATOR);
        ApiClient ann = new ApiClient(server.port(), WebFixture.ANN)) {
      for (ApiClient client : List.of(shared, ann)) {
        String release = TICKETS + "/" + held() + "/release";
        Answer refused = client.post(release, "{\"by\": \"ceo\"}");
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.detail()).startsWith("by: your token acts as ");
        assertThat(client.post(TICKETS, "{\"kind\": \"x\", \"by\": \"ceo\"}").status())
            .isEqualTo(403);
        assertThat(client.post(release, "{}").status()).isEqualTo(200);
      }
      assertThat(ann.post(TICKETS + "/" + held() + "/release", "{\"by\": \"ann\"}").status())
          .isEqualTo(200);
    }
    assertThat(database.column("SELECT actor FROM holdfast.ticket_activity")).doesNotContain("ceo");
  }

  @Test
  @DisplayName("without configured tokens this start's is needed; its link logs in, once is enough")
  void localToken() {
    try (WebServer open =
            WebFixture.server(WebFixture.local("me"), WebFixture.api(WebFixture.ports(pool)));
        ApiClient anybody = new ApiClient(open.port(), null);
        ApiClient me = new ApiClient(open.port(), WebFixture.LOCAL)) {
      assertThat(anybody.get(TICKETS).status()).isEqualTo(401);
      assertThat(anybody.get(TICKETS).detail()).contains(".holdfast/token");
      assertThat(anybody.post(TICKETS + "/" + held() + "/approve", "{}").status()).isEqualTo(401);
      assertThat(me.get(TICKETS).status()).isEqualTo(200);
      assertThat(anybody.get("/login?token=wrong").status()).isEqualTo(401);
      Answer entered = anybody.get("/login?token=" + WebFixture.LOCAL + "&next=%2Ftickets");
      assertThat(entered.status()).isEqualTo(303);
      assertThat(entered.header("Location")).hasValue("/tickets");
      String cookie = entered.header("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
      assertThat(anybody.get(TICKETS, "Cookie", cookie).status()).isEqualTo(200);
      assertThat(
              anybody
                  .get("/login?token=" + WebFixture.LOCAL, "Cookie", cookie)
                  .header("Set-Cookie"))
          .isEmpty();
      me.post(TICKETS + "/" + held() + "/cancel", "{}");
      assertThat(
              database.column(
                  "SELECT actor || ' ' || channel FROM holdfast.ticket_activity WHERE action ="
                      + " 'cancelled'"))
          .contains("me api");
    }
    assertThat(nobody.get("/login?token=" + WebFixture.ANN).header("Set-Cookie")).isEmpty();
  }

  @Test
  @DisplayName("each visitor's requests are bounded, and one visitor's do not count for another")
  void rate() {
    Access bounded = WebFixture.bearers().limitedTo(3);
    try (WebServer few = WebFixture.server(bounded, WebFixture.api(WebFixture.ports(pool)));
        ApiClient ann = new ApiClient(few.port(), WebFixture.ANN);
        ApiClient viewer = new ApiClient(few.port(), WebFixture.VIEWER)) {
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        statuses.add(ann.get("/api/v1/queues").status());
      }
      assertThat(statuses).containsExactly(200, 200, 200, 429, 429);
      assertThat(ann.get("/api/v1/queues").header("Retry-After")).hasValue("60");
      assertThat(viewer.get("/api/v1/queues").status()).isEqualTo(200);
    }
  }

  @Test
  @DisplayName(
      "a browser that is refused because too much is asked at once gets a page that comes again;"
          + " not where it sent a form")
  void pageThatComesAgain() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Routes slow =
        routes -> {
          routes.get("/slow", waiting(asked, end), Role.VIEWER);
          routes.get("/page", context -> context.html("a page"), Role.VIEWER);
          routes.post("/page", context -> context.html("done"), Role.VIEWER);
        };
    Access one = WebFixture.bearers().answeringAtOnce(1).limitedTo(2);
    try (WebServer busy = WebFixture.server(one, slow);
        ApiClient viewer = new ApiClient(busy.port(), WebFixture.VIEWER);
        ApiClient ann = new ApiClient(busy.port(), WebFixture.ANN)) {
      CompletableFuture<Answer> first = CompletableFuture.supplyAsync(() -> viewer.get("/slow"));
      assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
      Answer full = ann.get("/page", "Accept", "text/html");
      assertThat(full.status()).isEqualTo(503);
      assertThat(full.header("Retry-After")).isPresent();
      assertThat(full.response().body()).contains("<h1>", "refresh\" content=\"5\"");
      Answer form = ann.send("POST", "/page", "", "Accept", "text/html");
      assertThat(form.status()).isEqualTo(503);
      assertThat(form.response().body()).contains("<h1>").doesNotContain("refresh");
      end.countDown();
      assertThat(first.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
      Answer many = ann.get("/page", "Accept", "text/html");
      assertThat(many.status()).isEqualTo(429);
      assertThat(many.response().body()).contains("<h1>", "refresh\" content=\"15\"");
    }
  }

  @Test
  @DisplayName("without tokens only this machine's own names are answered: no DNS rebinding")
  void rebinding() throws IOException {
    try (WebServer open =
        WebFixture.server(WebFixture.local("me"), WebFixture.api(WebFixture.ports(pool)))) {
      for (String host : List.of("localhost", "127.0.0.1:" + open.port(), "[::1]:8080")) {
        assertThat(status(open, host)).as(host).isEqualTo("HTTP/1.1 200");
      }
      for (String host : List.of("evil.example", "localhost.evil.example")) {
        assertThat(status(open, host)).as(host).isEqualTo("HTTP/1.1 403");
      }
    }
  }

  private static String status(WebServer server, String host) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket.setSoTimeout(10_000);
      String request =
          "GET /api/v1/queues HTTP/1.1\r\nHost: "
              + host
              + "\r\nAuthorization: Bearer "
              + WebFixture.LOCAL
              + "\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
    }
  }

  @Test
  @DisplayName("every answer forbids scripts of others, frames and guessed types")
  void headers() {
    for (String path : List.of("/login", "/api/v1/queues", "/nowhere")) {
      Answer answer = nobody.get(path);
      assertThat(answer.header("Content-Security-Policy").orElseThrow())
          .contains("script-src 'self'")
          .contains("frame-ancestors 'none'")
          .doesNotContain("unsafe");
      assertThat(answer.header("X-Content-Type-Options")).hasValue("nosniff");
    }
  }
}
