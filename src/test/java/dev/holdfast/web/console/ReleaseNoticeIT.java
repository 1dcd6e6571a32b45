package dev.holdfast.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Category;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ConsoleServer;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the form of a release sends, and what the page says after it. */
@WithDatabase
class ReleaseNoticeIT {
  private static final Pattern PAYLOAD =
      Pattern.compile("<textarea id=\"payload\"[^>]*>(.*?)</textarea>", Pattern.DOTALL);
  private static final Pattern CSRF = Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"");

  private final TicketDatabase database;
  private final SampleTickets tickets;
  @AutoClose private final HikariDataSource pool;
  @AutoClose private final ConsoleServer server;

  @AutoClose
  private final HttpClient http =
      HttpClient.newBuilder()
          .cookieHandler(new CookieManager())
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  ReleaseNoticeIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.pool = this.database.pool(2);
    this.tickets = new SampleTickets(this.database);
    this.server = ConsoleServer.open(database.dataSource());
  }

  private String send(HttpRequest.Builder request) throws IOException, InterruptedException {
    var answer = http.send(request.build(), BodyHandlers.ofString());
    assertThat(answer.statusCode()).isIn(200, 303);
    return answer.body();
  }

  private int news(String query) throws IOException, InterruptedException {
    page();
    URI news = URI.create(server.url("/inbox")).resolve("/released" + query);
    return http.send(HttpRequest.newBuilder(news).build(), BodyHandlers.discarding()).statusCode();
  }

  /** A page of somebody who has logged in. */
  private String page() throws IOException, InterruptedException {
    URI login = URI.create(server.url("/inbox"));
    send(HttpRequest.newBuilder(login));
    return send(HttpRequest.newBuilder(login.resolve("/inbox")));
  }

  private void release(List<Long> ids) throws IOException, InterruptedException {
    act(ids.stream().map(id -> "&id=" + id).collect(Collectors.joining()) + "&do=release");
  }

  /** Sends the form of a list of held tickets. */
  private void act(String fields) throws IOException, InterruptedException {
    send(form(fields));
  }

  private HttpRequest.Builder form(String fields) throws IOException, InterruptedException {
    Matcher csrf = CSRF.matcher(page());
    assertThat(csrf.find()).isTrue();
    String form =
        fields + "&back=%2Finbox&_csrf=" + URLEncoder.encode(csrf.group(1), StandardCharsets.UTF_8);
    return HttpRequest.newBuilder(URI.create(server.url("/inbox")).resolve("/held/act"))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(BodyPublishers.ofString(form.substring(1)));
  }

  @Test
  @DisplayName("the cookie of a notice is for TLS alone where the browser came so, as a login's is")
  void secureNotice() throws Exception {
    long id = tickets.hold("four", "bang");
    HttpRequest.Builder form = form("&id=" + id + "&do=release");
    assertThat(
            http.send(form.header("X-Forwarded-Proto", "https").build(), BodyHandlers.discarding())
                .headers()
                .allValues("Set-Cookie"))
        .singleElement()
        .asString()
        .startsWith("holdfast_notice=")
        .contains("; Secure");
  }

  private void failAgain(long id) {
    database.run("SELECT holdfast.hold_ticket(?, 'a worker', 'it failed again')", id);
  }

  @Test
  @DisplayName("22.1: what has failed since and is to be retried can be taken back no more")
  void retried() throws Exception {
    long id = tickets.hold("three", "bang");

    release(List.of(id));
    new TestTickets(pool).fail(id, "manual", Category.TRANSIENT, "f");

    assertThat(tickets.state(id)).isEqualTo("ready");
    assertThat(page()).contains("Released 1 ticket.").doesNotContain("id=\"undo\"");
  }

  @Test
  @DisplayName(
      "22.1: the undo of a release is offered for what no worker has claimed, and the page says"
          + " what is on hold again")
  void heldAgain() throws Exception {
    List<Long> ids = List.of(tickets.hold("one", "boom"), tickets.hold("two", "boom"));

    release(ids);
    failAgain(ids.getFirst());
    assertThat(page())
        .contains("Released 2 tickets.", "1 of them is on hold again.")
        .contains("id=\"undo\"", "of the 1 of 2 that no worker has claimed");

    release(List.of(ids.getFirst()));
    failAgain(ids.getFirst());
    assertThat(page())
        .contains("Released 1 ticket.", "It is on hold again.")
        .doesNotContain("id=\"undo\"");

    release(List.of(ids.getFirst()));
    assertThat(page())
        .contains("Released 1 ticket.", "id=\"undo\"")
        .doesNotContain("on hold again");
  }

  @Test
  @DisplayName("a notice names eight tickets with which it was not done, and says how many more")
  void more() throws Exception {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ids.add(tickets.hold("t" + i, "boom"));
    }
    release(ids);
    page();
    release(ids);
    assertThat(page())
        .contains("Released 0 of 10", "#" + ids.get(7) + ": ", "and 2 more")
        .doesNotContain("#" + ids.get(8) + ": ");
  }

  @Test
  @DisplayName(
      "22.2: tickets held without an error bear no common reason and are not released all at once")
  void withoutError() throws Exception {
    long parked = heldBy("ann", "wait for legal, do not send");
    assertThat(page()).contains("wait for legal, do not send");
    long stranger = heldBy("bob", "the file is missing");
    assertThat(page())
        .contains("Held without an error, for different reasons")
        .doesNotContain("the file is missing");

    URI group = URI.create(server.url("/inbox")).resolve("/group?fingerprint=&category=");
    assertThat(send(HttpRequest.newBuilder(group)))
        .contains("Release selected", "wait for legal, do not send", "the file is missing")
        .doesNotContain("Release all");

    act("&group=1&fingerprint=&category=&seen=2999-01-01T00%3A00%3A00Z&do=release-all");
    assertThat(page()).contains("select those that are meant");
    assertThat(tickets.state(parked)).isEqualTo("on_hold");
    release(List.of(stranger));
    assertThat(tickets.state(stranger)).isEqualTo("ready");
    assertThat(tickets.state(parked)).isEqualTo("on_hold");
  }

  private long heldBy(String person, String reason) {
    long id = database.number("SELECT holdfast.enqueue_ticket('manual')");
    database.run("SELECT holdfast.hold_ticket(?, ?, ?)", id, person, reason);
    return id;
  }

  private long holdWith(String payload) {
    long id = tickets.hold("payload", "boom");
    database.run("UPDATE holdfast.ticket_base SET payload = ?::jsonb WHERE id = ?", payload, id);
    return id;
  }

  private String payload(long id) {
    return database.value("SELECT payload FROM holdfast.tickets WHERE id = ?", id);
  }

  /** The text of a form's field as a browser shows it; null where the page has none. */
  private static @Nullable String field(String page) {
    Matcher field = PAYLOAD.matcher(page);
    return field.find()
        ? field
            .group(1)
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&#34;", "\"")
            .replace("&#39;", "'")
            .replace("&amp;", "&")
        : null;
  }

  /** Presses Release as a browser does, with the payload that stands in the form. */
  private int pressRelease(long id, UnaryOperator<String> typed)
      throws IOException, InterruptedException {
    page();
    URI home = URI.create(server.url("/inbox"));
    String shown = send(HttpRequest.newBuilder(home.resolve("/tickets/" + id)));
    Matcher csrf = CSRF.matcher(shown);
    assertThat(csrf.find()).isTrue();
    String payload = field(shown);
    String form =
        "_csrf="
            + URLEncoder.encode(csrf.group(1), StandardCharsets.UTF_8)
            + (payload == null
                ? ""
                : "&payload=" + URLEncoder.encode(typed.apply(payload), StandardCharsets.UTF_8));
    return http.send(
            HttpRequest.newBuilder(home.resolve("/tickets/" + id + "/release"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form))
                .build(),
            BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  @DisplayName("22.1: a ticket whose payload is too long to be shown whole is released as it is")
  void longPayload() throws Exception {
    long id = holdWith("{\"text\": \"" + "x".repeat(250_000) + "\"}");
    String before = payload(id);
    assertThat(pressRelease(id, text -> text)).isEqualTo(303);
    assertThat(tickets.state(id)).isEqualTo("ready");
    assertThat(payload(id)).isEqualTo(before);
  }

  @Test
  @DisplayName("22.1: a payload as large as a ticket may have fits the form in every language")
  void otherLanguages() throws Exception {
    long id = holdWith("{\"text\": \"" + "漢".repeat(30_000) + "\"}");
    assertThat(pressRelease(id, text -> text.replace("\"text\"", "\"words\""))).isEqualTo(303);
    assertThat(tickets.state(id)).isEqualTo("ready");
    assertThat(payload(id)).startsWith("{\"words\": \"漢漢");
  }

  @Test
  @DisplayName(
      "22.1: a payload's numbers keep all their digits in the form, and an edit of one counts")
  void digits() throws Exception {
    String exact = "{\"a\": 0.12345678901234567891, \"b\": 1.50, \"c\": 1.0, \"n\": 1}";
    long id = holdWith(exact);
    assertThat(pressRelease(id, text -> text.replaceFirst("\"n\" : 1", "\"n\" : 2")))
        .isEqualTo(303);
    assertThat(payload(id)).isEqualTo(exact.replace("\"n\": 1", "\"n\": 2"));

    long digit = holdWith(exact);
    assertThat(pressRelease(digit, text -> text.replace("891", "892"))).isEqualTo(303);
    assertThat(payload(digit)).isEqualTo(exact.replace("891", "892"));

    URI enqueue = URI.create(server.url("/inbox")).resolve("/enqueue?again=" + id);
    assertThat(field(send(HttpRequest.newBuilder(enqueue))))
        .contains("0.12345678901234567891", "1.50", "1.0");

    long endless = holdWith(exact);
    assertThat(pressRelease(endless, text -> "{\"a\": 1e99999999999}")).isEqualTo(303);
    assertThat(tickets.state(endless)).isEqualTo("on_hold");
  }

  @Test
  @DisplayName("22.1: news of a release is given for its key, to whoever has logged in")
  void newsOfReleased() throws Exception {
    assertThat(news("?release=none")).isEqualTo(200);
    for (String query : List.of("", "?release=", "?release=" + "x".repeat(101))) {
      assertThat(news(query)).as(query).isEqualTo(400);
    }
  }
}
