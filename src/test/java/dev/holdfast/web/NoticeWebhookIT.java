package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Category;
import dev.holdfast.postgres.read.PostgresPeopleNotices;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.PeopleNotices;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.secret.Secrets;
import dev.holdfast.testing.LogLines;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.webhook.NoticeRules;
import dev.holdfast.web.webhook.NoticeWebhook;
import dev.holdfast.web.webhook.WebhookReceiver;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@WithDatabase
@Timeout(120)
class NoticeWebhookIT {
  private static final String SECRET = "a-secret-of-the-webhook";
  private static final Duration POLL = Duration.ofMillis(20);
  private static final int TRIES = 7;

  private final TicketDatabase database;
  private final TestQueue queue;
  private final HttpServer receiver;
  private final AtomicInteger failures = new AtomicInteger();
  private volatile Duration slowness = Duration.ZERO;
  private final LinkedBlockingQueue<Received> received = new LinkedBlockingQueue<>();
  @AutoClose private final HikariDataSource pool;

  private record Received(
      int status, String id, String timestamp, String signature, String type, String body) {
    JsonNode json() {
      return new JsonMapper().readTree(body);
    }

    String subject() {
      return json().get("subject").asString();
    }
  }

  NoticeWebhookIT(TestDatabase testDatabase) throws IOException {
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
    this.pool = database.pool(4);
    this.receiver =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/hook",
        exchange -> {
          boolean fails = failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          await().pollDelay(slowness).until(() -> true);
          int status = fails ? 500 : body.contains("DROP TABLE") ? 403 : 204;
          received.add(
              new Received(
                  status,
                  exchange.getRequestHeaders().getFirst("webhook-id"),
                  exchange.getRequestHeaders().getFirst("webhook-timestamp"),
                  exchange.getRequestHeaders().getFirst("webhook-signature"),
                  exchange.getRequestHeaders().getFirst("Content-Type"),
                  body));
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    receiver.start();
  }

  @AfterEach
  void stop() {
    receiver.stop(0);
  }

  private PeopleNotices notices() {
    return new PostgresPeopleNotices(pool, "holdfast");
  }

  private WebhookReceiver receiver(Duration giveUpAfter) {
    return receiver(giveUpAfter, WebhookReceiver.Form.CLOUDEVENT, Duration.ZERO, time -> false);
  }

  private WebhookReceiver receiver(
      Duration giveUpAfter,
      WebhookReceiver.Form form,
      Duration groupWait,
      Predicate<Instant> quiet) {
    return new WebhookReceiver(
        URI.create("http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook"),
        SECRET,
        Duration.ofSeconds(5),
        form,
        rules(giveUpAfter, groupWait, quiet));
  }

  @Test
  @DisplayName("22.9: what no one foresaw ends no telling: it is logged once, and tried again")
  void unforeseen() throws Exception {
    WebhookReceiver people = receiver(Duration.ofDays(1));
    PeopleNotices real = notices();
    real.lead(people.name(), "nobody", Duration.ofMillis(1));
    long id = queue.enqueue();
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'why')", id);
    AtomicInteger sleeps = new AtomicInteger();
    Sleeper counting =
        time -> {
          sleeps.incrementAndGet();
          Sleeper.REAL.sleep(POLL);
        };
    database.run("ALTER FUNCTION holdfast.note_reviews RENAME TO note_reviews_away");
    database.run(
        "CREATE FUNCTION holdfast.note_reviews() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE"
            + " EXCEPTION 'unforeseen' USING ERRCODE = 'HF422'; END $$");
    try (LogLines log = new LogLines(NoticeWebhook.class);
        NoticeWebhook webhook =
            NoticeWebhook.start(people, real, counting, InstantSource.system(), POLL)) {
      await().atMost(Duration.ofSeconds(60)).until(() -> sleeps.get() > 3);
      assertThat(log.of(Level.WARN))
          .filteredOn(line -> line.contains("is told of nothing for now"))
          .hasSize(1);
      database.run("DROP FUNCTION holdfast.note_reviews");
      database.run("ALTER FUNCTION holdfast.note_reviews_away RENAME TO note_reviews");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> received.stream().anyMatch(each -> each.body().contains("/tickets/" + id)));
      assertThat(webhook).isNotNull();
    }
  }

  static NoticeRules rules(Duration giveUpAfter, Duration groupWait, Predicate<Instant> quiet) {
    return new NoticeRules(
        giveUpAfter,
        URI.create("https://holdfast.example/"),
        Secrets.of(Map.of("hunter2-hunter2", "mail.password")),
        groupWait,
        quiet,
        Set.of(NoticeRules.Event.values()),
        new NoticeRules.DigestTime(LocalTime.NOON, ZoneOffset.UTC));
  }

  private NoticeWebhook start(Duration giveUpAfter) {
    return NoticeWebhook.start(
        receiver(giveUpAfter), notices(), Sleeper.REAL, InstantSource.system(), POLL);
  }

  /** From now on holds are told of. */
  private void begin() {
    notices().lead(receiver(Duration.ofDays(1)).name(), "nobody", Duration.ofMillis(1));
  }

  private long hold() {
    long id = queue.enqueue();
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'look <at> it')", id);
    return id;
  }

  private Received next() throws InterruptedException {
    Received next = received.poll(20, TimeUnit.SECONDS);
    assertThat(next).as("no delivery").isNotNull();
    return next;
  }

  @Test
  @DisplayName("an outage is told of once, and so is its end; meanwhile the console's pages say it")
  void outage() throws Exception {
    begin();
    try (NoticeWebhook webhook = start(Duration.ofDays(1));
        ConsoleServer console = ConsoleServer.guarded(pool)) {
      for (String model : List.of("a", "b")) {
        database.run(
            "INSERT INTO holdfast.provider_cooldowns (provider, key_id, model, reason, detail,"
                + " rounds, since, until, reported_by) VALUES ('openai', '', ?, 'outage', 'HTTP"
                + " 503', 1, now() - interval '20 minutes', now() - interval '1 second', 'w')",
            model);
      }
      database.run(
          "INSERT INTO holdfast.ticket_waits (ticket_id, lease_no, kind, scopes, words) VALUES (?,"
              + " 0, 'provider', '{openai//a,openai//b}', 'openai')",
          queue.enqueue());
      for (int round = 0; round < 2; round++) {
        database.run("SELECT holdfast.tell_outages(900000)");
      }
      JsonNode begin = next().json();
      assertThat(begin.get("type").asString()).isEqualTo("dev.holdfast.provider.outage");
      assertThat(begin.get("subject").asString()).isEqualTo("openai");
      assertThat(begin.get("text").asString())
          .startsWith("openai has not answered since ")
          .contains("(outage: HTTP 503): what needs it waits")
          .endsWith("https://holdfast.example/providers");
      assertThat(page(console)).contains("openai has not answered since ");

      database.run("SELECT holdfast.report_provider_answer('openai', '', 'a')");
      database.run("SELECT holdfast.report_provider_answer('openai', '', 'b')");
      JsonNode end = next().json();
      assertThat(end.get("type").asString()).isEqualTo("dev.holdfast.provider.answers");
      assertThat(end.get("text").asString()).startsWith("openai answers again");
      assertThat(page(console)).contains("id=\"outages\"").doesNotContain("has not answered");
      long other = hold();
      assertThat(next().subject()).as("nothing is told twice").isEqualTo("" + other);
      assertThat(webhook).isNotNull();
    }
  }

  private static String page(ConsoleServer console) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(console.url("/tickets")))
            .header("Authorization", "Bearer " + ConsoleServer.viewersToken())
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
  }

  @Test
  @DisplayName("a hold is told of with a signature, again and again until it is taken, once")
  void delivered() throws Exception {
    begin();
    failures.set(2);
    try (NoticeWebhook webhook = start(Duration.ofDays(1))) {
      long id = hold();
      Received first = next();
      assertThat(first.status).isEqualTo(500);
      assertThat(next().id).isEqualTo(first.id);
      Received taken = next();
      assertThat(taken.status).isEqualTo(204);
      assertThat(taken.id).isEqualTo(first.id);
      assertSigned(taken);

      JsonNode event = taken.json();
      assertThat(event.get("specversion").asString()).isEqualTo("1.0");
      assertThat(event.get("id").asString()).isEqualTo(taken.id);
      assertThat(event.get("type").asString()).isEqualTo("dev.holdfast.ticket.held");
      assertThat(taken.subject()).isEqualTo("" + id);
      assertThat(taken.type).startsWith("application/cloudevents+json");
      assertThat(event.get("data").get("hold_reason").asString()).isEqualTo("look <at> it");
      assertThat(event.get("data").get("held_by").asString()).isEqualTo("ann");
      assertThat(event.get("data").get("url").asString())
          .isEqualTo("https://holdfast.example/tickets/" + id);

      long other = hold();
      assertThat(next().subject()).isEqualTo("" + other);
      assertThat(webhook).isNotNull();
    }
  }

  @Test
  @DisplayName("22.4: a hold is told of by the root cause of its error, not by what is around it")
  void rootCause() throws Exception {
    String cause = "ValueError: cannot parse row 177";
    String error = "exit code 1 from sh\nTraceback (most recent call last):\n  File \"a.py\"\n";
    begin();
    try (NoticeWebhook webhook = start(Duration.ofDays(1))) {
      long id = queue.enqueue();
      while (!database.state(id).equals("on_hold")) {
        long lease = queue.claim();
        queue
            .queue()
            .finish(
                List.of(
                    new Finish.Failed(
                        id, lease, TestQueue.failure(Category.CODE_ERROR, error + cause))),
                List.of(lease));
      }
      JsonNode event = next().json();
      assertThat(event.get("data").get("error_title").asString()).isEqualTo(cause);
      assertThat(event.get("text").asString())
          .contains("Max retries exceeded: code_error, after: " + cause + " ")
          .doesNotContain("Traceback", "exit code");
      assertThat(webhook).isNotNull();
    }
  }

  private static void assertSigned(Received message) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    String signed = message.id + "." + message.timestamp + "." + message.body;
    assertThat(message.signature)
        .isEqualTo(
            "v1,"
                + Base64.getEncoder()
                    .encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8))));
  }

  @Test
  @DisplayName(
      "what was held while nobody told is told by the next process at once, and nothing twice")
  void nextProcess() throws Exception {
    begin();
    long first = hold();
    try (NoticeWebhook webhook = start(Duration.ofDays(1))) {
      assertThat(next().subject()).isEqualTo("" + first);
      awaitCursor();
      assertThat(webhook).isNotNull();
    }
    long failed = queue.enqueue();
    queue.fail(failed, queue.claim(), Category.CODE_ERROR);
    queue.makeDue(failed);
    queue.fail(failed, queue.claim(), Category.CODE_ERROR);
    try (NoticeWebhook webhook = start(Duration.ofDays(1))) {
      Received told = next();
      assertThat(told.subject()).isEqualTo("" + failed);
      assertThat(told.json().get("data").get("error_category").asString()).isEqualTo("code_error");
      long last = hold();
      assertThat(next().subject()).isEqualTo("" + last);
      assertThat(webhook).isNotNull();
    }
  }

  private void awaitCursor() {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                database.number(
                        "SELECT max(y.id) - (SELECT c.activity_id FROM holdfast.webhook_cursors c"
                            + " WHERE c.name = ?) FROM holdfast.ticket_activity y",
                        receiver(Duration.ofDays(1)).name())
                    <= 0);
  }

  @Test
  @DisplayName("of several processes one tells at a time")
  void oneSender() throws Exception {
    begin();
    try (NoticeWebhook one = start(Duration.ofDays(1));
        NoticeWebhook other = start(Duration.ofDays(1))) {
      for (int i = 0; i < 5; i++) {
        long id = hold();
        assertThat(next().subject()).isEqualTo("" + id);
      }
      awaitCursor();
      assertThat(received).isEmpty();
      assertThat(one).isNotSameAs(other);
    }
  }

  @Test
  @DisplayName(
      "22.9: a receiver that takes longer than the right to tell lasts is told once by several"
          + " processes")
  void slowerThanTheRight() throws Exception {
    begin();
    slowness = Duration.ofSeconds(2);
    try (NoticeWebhook one = startBriefly();
        NoticeWebhook other = startBriefly()) {
      long id = hold();
      assertThat(next().subject()).isEqualTo("" + id);
      awaitCursor();
      assertThat(received).isEmpty();
      assertThat(one).isNotSameAs(other);
    }
  }

  @Test
  @DisplayName(
      "22.9: a receiver that takes nothing is tried ever less often, by several processes, too")
  void everLessOften() throws Exception {
    begin();
    failures.set(Integer.MAX_VALUE);
    try (NoticeWebhook one = startBriefly();
        NoticeWebhook other = startBriefly()) {
      hold();
      long last = System.nanoTime();
      Duration gap = Duration.ZERO;
      for (int i = 0; i < TRIES; i++) {
        next();
        gap = Duration.ofNanos(System.nanoTime() - last);
        last = System.nanoTime();
      }
      failures.set(0);
      next();
      awaitCursor();
      assertThat(gap).isGreaterThanOrEqualTo(POLL.multipliedBy(1L << (TRIES - 1)));
      assertThat(one).isNotSameAs(other);
    }
  }

  /** With a right to tell that lasts half a second. */
  private NoticeWebhook startBriefly() {
    PeopleNotices real = notices();
    PeopleNotices brief =
        (PeopleNotices)
            Proxy.newProxyInstance(
                PeopleNotices.class.getClassLoader(),
                new Class<?>[] {PeopleNotices.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("lead")) {
                    arguments[2] = Duration.ofMillis(500);
                  }
                  return method.invoke(real, arguments);
                });
    return NoticeWebhook.start(
        receiver(Duration.ofDays(1)), brief, Sleeper.REAL, InstantSource.system(), POLL);
  }

  @Test
  @DisplayName("a hold whose transaction commits late is not passed over")
  void lateCommit() throws Exception {
    begin();
    long late = queue.enqueue();
    try (NoticeWebhook webhook = start(Duration.ofDays(1));
        Connection slow = database.dataSource().getConnection()) {
      slow.setAutoCommit(false);
      try (Statement statement = slow.createStatement()) {
        statement.execute("SELECT holdfast.hold_ticket(" + late + ", 'slow', 'later')");
      }
      long early = hold();
      assertThat(next().subject()).isEqualTo("" + early);
      long second = hold();
      assertThat(next().subject()).isEqualTo("" + second);
      slow.commit();
      assertThat(next().subject()).isEqualTo("" + late);
      awaitCursor();
      assertThat(received).isEmpty();
      assertThat(webhook).isNotNull();
    }
  }

  private void hold(List<Long> ids) {
    database.run(
        "SELECT holdfast.hold_ticket(id, 'ann', 'the disk & <all> is full') FROM"
            + " unnest(string_to_array(?, ',')::bigint[]) id",
        String.join(",", ids.stream().map(String::valueOf).toList()));
  }

  @Test
  @DisplayName(
      "22.9: a storm of 500 equal holds is one message that says 500; others are their own")
  void storm() throws Exception {
    begin();
    AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-23T12:00:00Z"));
    Duration wait = Duration.ofSeconds(10);
    WebhookReceiver storms =
        receiver(Duration.ofDays(1), WebhookReceiver.Form.CLOUDEVENT, wait, time -> false);
    try (NoticeWebhook webhook =
        NoticeWebhook.start(storms, notices(), Sleeper.REAL, now::get, POLL)) {
      List<Long> ids = queue.enqueue(500);
      hold(ids.subList(0, 200));
      long other = hold();
      hold(ids.subList(200, 500));
      now.set(now.get().plus(wait));
      // The wait began with the first look, which may have been after that step.
      while (received.size() < 2) {
        now.set(now.get().plus(wait));
        Received early = received.poll(100, TimeUnit.MILLISECONDS);
        if (early != null) {
          received.add(early);
        }
      }
      Received many = next();
      Received one = next();
      if (one.json().get("type").asString().endsWith("tickets.held")) {
        Received swap = many;
        many = one;
        one = swap;
      }
      assertThat(one.subject()).isEqualTo("" + other);
      assertThat(many.json().get("type").asString()).isEqualTo("dev.holdfast.tickets.held");
      assertThat(many.json().get("data").get("count").asInt()).isEqualTo(500);
      assertThat(many.json().get("text").asString())
          .isEqualTo(
              "500 tickets wait for a person: the disk & <all> is full"
                  + " https://holdfast.example/inbox");
      awaitCursor();
      assertThat(received).isEmpty();
      assertThat(webhook).isNotNull();
    }
  }

  @Test
  @DisplayName("22.9: many holds that were told while a transaction is open hide no newer one")
  void manyBehindAnOpenTransaction() throws Exception {
    begin();
    long late = queue.enqueue();
    WebhookReceiver storms =
        receiver(
            Duration.ofDays(1),
            WebhookReceiver.Form.CLOUDEVENT,
            Duration.ofMillis(1),
            time -> false);
    try (NoticeWebhook webhook =
            NoticeWebhook.start(storms, notices(), Sleeper.REAL, InstantSource.system(), POLL);
        Connection slow = database.dataSource().getConnection()) {
      slow.setAutoCommit(false);
      try (Statement statement = slow.createStatement()) {
        statement.execute("SELECT holdfast.hold_ticket(" + late + ", 'slow', 'later')");
      }
      hold(queue.enqueue(1_000));
      assertThat(next().json().get("data").get("count").asInt()).isEqualTo(1_000);
      long newer = hold();
      assertThat(next().subject()).isEqualTo("" + newer);
      slow.commit();
      assertThat(next().subject()).isEqualTo("" + late);
      awaitCursor();
      assertThat(received).isEmpty();
      assertThat(webhook).isNotNull();
    }
  }

  @Test
  @DisplayName("22.9: in quiet hours nothing is sent, then all of it, to a chat as a sentence")
  void quiet() throws Exception {
    begin();
    AtomicBoolean quiet = new AtomicBoolean(true);
    AtomicInteger looks = new AtomicInteger();
    WebhookReceiver chat =
        receiver(
            Duration.ofDays(1),
            WebhookReceiver.Form.TEXT,
            Duration.ofMillis(1),
            time -> {
              looks.incrementAndGet();
              return quiet.get();
            });
    try (LogLines log = new LogLines(NoticeWebhook.class);
        NoticeWebhook webhook =
            NoticeWebhook.start(chat, notices(), Sleeper.REAL, InstantSource.system(), POLL)) {
      database.run("ALTER FUNCTION holdfast.error_name RENAME TO error_name_away");
      hold(queue.enqueue(2));
      await().atMost(Duration.ofSeconds(60)).until(() -> looks.get() > 3);
      assertThat(received).isEmpty();
      assertThat(log.of(Level.WARN)).as("holds are not read all night, again and again").isEmpty();
      database.run("ALTER FUNCTION holdfast.error_name_away RENAME TO error_name");
      quiet.set(false);
      Received told = next();
      assertThat(told.type).startsWith("application/json");
      assertSigned(told);
      assertThat(told.body)
          .isEqualTo(
              "{\"text\":\"2 tickets wait for a person: the disk &amp; &lt;all&gt; is full"
                  + " https://holdfast.example/inbox\"}");
      awaitCursor();
      assertThat(received).isEmpty();
      assertThat(webhook).isNotNull();
    }
  }

  @Test
  @DisplayName("22.9: a storm of more holds than are read at a time is one message")
  void largeStorm() throws Exception {
    begin();
    long id = hold();
    database.run(
        "INSERT INTO holdfast.ticket_activity (ticket_id, action, actor, details) SELECT ?, 'held',"
            + " 'ann', '{\"reason\": \"look <at> it\"}' FROM generate_series(1, 1500)",
        id);
    WebhookReceiver grouped =
        receiver(
            Duration.ofDays(1),
            WebhookReceiver.Form.CLOUDEVENT,
            Duration.ofMillis(1),
            time -> false);
    try (NoticeWebhook webhook =
        NoticeWebhook.start(grouped, notices(), Sleeper.REAL, InstantSource.system(), POLL)) {
      assertThat(next().json().get("data").get("count").asInt()).isEqualTo(1501);
      awaitCursor();
      assertThat(received).isEmpty();
      assertThat(webhook).isNotNull();
    }
  }

  @Test
  @DisplayName("22.9: 301 holds for 300 reasons are 11 messages, of which one stands for 290")
  void differentReasons() throws Exception {
    begin();
    List<Long> ids = queue.enqueue(301);
    database.run(
        "SELECT holdfast.hold_ticket(id, 'ann', 'question: ' || LEAST(n, 300)) FROM"
            + " generate_series(?::bigint, ?::bigint) WITH ORDINALITY AS x (id, n)",
        ids.getFirst(),
        ids.getLast());
    try (NoticeWebhook webhook =
        NoticeWebhook.start(
            grouped(Duration.ofMillis(1), time -> false),
            notices(),
            Sleeper.REAL,
            InstantSource.system(),
            POLL)) {
      for (int i = 0; i < 9; i++) {
        assertThat(next().subject()).isEqualTo("" + ids.get(i));
      }
      Received others = next();
      assertThat(others.json().get("type").asString()).isEqualTo("dev.holdfast.tickets.held");
      assertThat(others.json().get("data").get("count").asInt()).isEqualTo(290);
      assertThat(others.json().get("text").asString())
          .isEqualTo(
              "290 more tickets wait for a person, for different reasons, the newest for:"
                  + " question: 299 https://holdfast.example/inbox");
      assertThat(next().json().get("data").get("count").asInt()).isEqualTo(2);
      awaitCursor();
      assertThat(received).isEmpty();
      assertThat(webhook).isNotNull();
    }
  }

  @Test
  @DisplayName("22.9: holds that keep coming are told of less and less often, until they pause")
  void longStorm() throws Exception {
    begin();
    AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-23T12:00:00Z"));
    Duration wait = Duration.ofSeconds(10);
    AtomicInteger looks = new AtomicInteger();
    Predicate<Instant> never =
        time -> {
          looks.incrementAndGet();
          return false;
        };
    try (NoticeWebhook webhook =
        NoticeWebhook.start(grouped(wait, never), notices(), Sleeper.REAL, now::get, POLL)) {
      holdAndLook(looks);
      now.set(now.get().plus(wait));
      next();
      holdAndLook(looks);
      now.set(now.get().plus(wait));
      awaitLook(looks);
      assertThat(received).as("the second wait is longer").isEmpty();
      now.set(now.get().plus(wait));
      next();
      awaitLook(looks);
      now.set(now.get().plus(wait.multipliedBy(2)));
      holdAndLook(looks);
      now.set(now.get().plus(wait));
      next();
      assertThat(webhook).isNotNull();
    }
  }

  private void holdAndLook(AtomicInteger looks) {
    hold();
    awaitLook(looks);
  }

  /** Waits until a look that begins after this call is over. */
  private static void awaitLook(AtomicInteger looks) {
    int before = looks.get();
    await().atMost(Duration.ofSeconds(60)).until(() -> looks.get() > before + 2);
  }

  private WebhookReceiver grouped(Duration wait, Predicate<Instant> quiet) {
    return receiver(Duration.ofDays(1), WebhookReceiver.Form.CLOUDEVENT, wait, quiet);
  }

  @Test
  @DisplayName("an event that is never taken is given up in the end, and the next one is told")
  void givenUp() throws Exception {
    begin();
    failures.set(3);
    try (NoticeWebhook webhook = start(Duration.ofMillis(1))) {
      long first = hold();
      long second = hold();
      Received told = next();
      assertThat(told.subject()).isEqualTo("" + first);
      while (told.status == 500) {
        told = next();
      }
      assertThat(told.subject()).isEqualTo("" + second);
      assertThat(webhook).isNotNull();
    }
  }

  @Test
  @DisplayName(
      "22.9: an event that the receiver refuses for the ticket's words is told without them, and"
          + " keeps no other back")
  void refusedWords() throws Exception {
    begin();
    long refused = queue.enqueue();
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'DROP TABLE x')", refused);
    long other = hold();
    try (NoticeWebhook webhook = start(Duration.ofDays(1))) {
      assertThat(next().status).isEqualTo(403);
      Received bare = next();
      assertThat(bare.status).isEqualTo(204);
      assertThat(bare.subject()).isEqualTo("" + refused);
      assertThat(bare.json().get("text").asString())
          .startsWith("Ticket #" + refused + " waits for a person: ")
          .contains("refused")
          .endsWith("/tickets/" + refused);
      assertThat(next().subject()).isEqualTo("" + other);
      assertThat(webhook).isNotNull();
    }
  }

  @Test
  @DisplayName("22.9: a ticket that waits for nobody any more is not told of")
  void releasedBefore() throws Exception {
    begin();
    long released = hold();
    database.run("SELECT holdfast.release_ticket(?, 'ann')", released);
    long cancelled = hold();
    database.run("SELECT holdfast.cancel_ticket(?, 'ann')", cancelled);
    long again = hold();
    database.run("SELECT holdfast.release_ticket(?, 'ann')", again);
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'once more')", again);
    try (NoticeWebhook webhook = start(Duration.ofDays(1))) {
      Received told = next();
      assertThat(told.subject()).isEqualTo("" + again);
      assertThat(told.body).contains("once more");
      awaitCursor();
      assertThat(received).isEmpty();
      assertThat(webhook).isNotNull();
    }
  }

  @Test
  @DisplayName("22.9: the time of an event that nobody needs any more is not counted for the next")
  void releasedWhileRefused() throws Exception {
    begin();
    failures.set(Integer.MAX_VALUE);
    AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-23T12:00:00Z"));
    WebhookReceiver people = receiver(Duration.ofDays(1));
    try (NoticeWebhook webhook =
        NoticeWebhook.start(people, notices(), Sleeper.REAL, now::get, POLL)) {
      long first = hold();
      assertThat(next().subject()).isEqualTo("" + first);
      database.run("SELECT holdfast.release_ticket(?, 'ann')", first);
      now.set(now.get().plus(Duration.ofHours(25)));
      long second = hold();
      Received told = next();
      while (!told.subject().equals("" + second)) {
        told = next();
      }
      failures.set(0);
      while (told.status == 500) {
        told = next();
      }
      assertThat(told.subject()).isEqualTo("" + second);
      assertThat(webhook).isNotNull();
    }
  }

  @Test
  @DisplayName("the end waits a little for a look at the database, and breaks no connection")
  void closedAtLook() throws Exception {
    begin();
    try (LogLines log = LogLines.named("com.zaxxer.hikari.pool.ProxyConnection");
        Connection other = database.dataSource().getConnection();
        Statement lock = other.createStatement()) {
      other.setAutoCommit(false);
      lock.execute("LOCK holdfast.webhook_cursors");
      NoticeWebhook webhook = start(Duration.ofDays(1));
      await()
          .until(
              () ->
                  database.number(
                          "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                              + " AND wait_event_type = 'Lock'")
                      > 0);
      Thread closing = Thread.ofPlatform().start(webhook::close);
      await()
          .until(
              () ->
                  closing.getState() == Thread.State.TIMED_WAITING
                      || closing.getState() == Thread.State.TERMINATED);
      other.rollback();
      other.setAutoCommit(true);
      closing.join();
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
      assertThat(log.of(Level.WARN)).noneMatch(line -> line.startsWith(pool.getPoolName()));
    }
  }
}
