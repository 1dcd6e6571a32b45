package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.read.PostgresPeopleNotices;
import dev.holdfast.queue.PeopleNotices;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.testing.LogLines;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.webhook.MailReceiver;
import dev.holdfast.web.webhook.NoticeWebhook;
import jakarta.mail.internet.MimeMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Mails about holds, results and the day, through a server of SMTP. */
@WithDatabase
@Timeout(120)
class NoticeMailIT {
  private static final Duration POLL = Duration.ofMillis(20);

  private final TicketDatabase database;
  private final TestQueue queue;
  private final PeopleNotices notices;
  @AutoClose private final HikariDataSource pool;

  NoticeMailIT(TestDatabase testDatabase) {
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
    this.pool = database.pool(4);
    this.notices = new PostgresPeopleNotices(pool, "holdfast");
  }

  @Test
  @DisplayName(
      "22.9: mail by SMTP with a login: a hold, results for review by design and the digest, once"
          + " each, again after an outage of the server, without secrets")
  void mail() throws Exception {
    ServerSetup setup = new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP);
    GreenMail server = new GreenMail(setup);
    server.setUser("holdfast@example.org", "holdfast", "hunter2-hunter2");
    server.start();
    int port = server.getSmtp().getPort();
    server.stop();
    MailReceiver people = receiver(port);
    notices.lead(people.name(), "nobody", Duration.ofMillis(1));
    // What other tests left for review is none of this one's; a digest was due a day ago.
    database.run(
        "INSERT INTO holdfast.webhook_cursors (name, activity_id, updated_at) VALUES"
            + " ('noted:reviews', 0, now()), ('noted:digest', 0, now() - interval '2 days') ON"
            + " CONFLICT (name) DO UPDATE SET updated_at = EXCLUDED.updated_at");
    long reviewed = queue.enqueue();
    queue.succeed(reviewed, queue.claim());
    database.run(
        "UPDATE holdfast.figures_cursor SET counted_until = clock_timestamp() + interval '1 s',"
            + " next_at = 'infinity'");
    long held = queue.enqueue();
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'ä hunter2-hunter2\nBcc: x')", held);
    AtomicInteger sleeps = new AtomicInteger();
    Sleeper impatient =
        time -> {
          sleeps.incrementAndGet();
          Sleeper.REAL.sleep(POLL);
        };
    try (NoticeWebhook mail =
        NoticeWebhook.start(people, notices, impatient, InstantSource.system(), POLL)) {
      await().atMost(Duration.ofSeconds(60)).until(() -> sleeps.get() > 3);
      GreenMail again =
          new GreenMail(new ServerSetup(port, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
      again.setUser("holdfast@example.org", "holdfast", "hunter2-hunter2");
      again.start();
      try {
        await()
            .atMost(Duration.ofSeconds(60))
            .untilAsserted(() -> assertMails(again.getReceivedMessages(), held, reviewed));
      } finally {
        again.stop();
      }
      assertThat(mail).isNotNull();
    }
  }

  @Test
  @DisplayName(
      "22.9: one address that the mail server refuses keeps no mail from the others, and is named"
          + " in the log")
  void oneRefused() throws Exception {
    try (MailServer server = new MailServer("<bob@example.org>");
        LogLines log = LogLines.named("dev.holdfast.web.webhook.MailDelivery")) {
      MailReceiver people = receiver(server.port(), "cara@example.org", "bob@example.org");
      notices.lead(people.name(), "nobody", Duration.ofMillis(1));
      try (NoticeWebhook mail =
          NoticeWebhook.start(people, notices, Sleeper.REAL, InstantSource.system(), POLL)) {
        for (int i = 1; i <= 2; i++) {
          long held = queue.enqueue();
          database.run("SELECT holdfast.hold_ticket(?, 'ann', 'why')", held);
          await()
              .atMost(Duration.ofSeconds(60))
              .until(
                  () ->
                      server.mails.stream()
                          .anyMatch(each -> each.contains("Subject: Ticket #" + held)));
        }
        assertThat(mail).isNotNull();
      }
      assertThat(log.of(Level.WARN))
          .isNotEmpty()
          .allMatch(line -> line.contains("[bob@example.org]"));
    }
  }

  @Test
  @DisplayName("22.9: a mail that the server takes for nobody is not taken")
  void allRefused() throws Exception {
    try (MailServer server = new MailServer("@example.org>");
        LogLines log = LogLines.named("dev.holdfast.web.webhook.NoticeWebhook")) {
      MailReceiver people = receiver(server.port(), "dan@example.org");
      notices.lead(people.name(), "nobody", Duration.ofMillis(1));
      database.run("SELECT holdfast.hold_ticket(?, 'ann', 'why')", queue.enqueue());
      try (NoticeWebhook mail =
          NoticeWebhook.start(people, notices, Sleeper.REAL, InstantSource.system(), POLL)) {
        await()
            .atMost(Duration.ofSeconds(60))
            .until(
                () -> log.of(Level.WARN).stream().anyMatch(line -> line.contains("did not take")));
        assertThat(mail).isNotNull();
      }
      assertThat(server.mails).isEmpty();
    }
  }

  @Test
  @DisplayName("22.9: a mail whose words the server takes for spam comes without them")
  void spam() throws Exception {
    try (MailServer server = new MailServer("nobody")) {
      MailReceiver people = receiver(server.port(), "eve@example.org");
      notices.lead(people.name(), "nobody", Duration.ofMillis(1));
      long held = queue.enqueue();
      database.run("SELECT holdfast.hold_ticket(?, 'ann', 'what the model says: SPAM')", held);
      try (NoticeWebhook mail =
          NoticeWebhook.start(people, notices, Sleeper.REAL, InstantSource.system(), POLL)) {
        await().atMost(Duration.ofSeconds(60)).until(() -> !server.mails.isEmpty());
        assertThat(mail).isNotNull();
      }
      assertThat(server.mails.getFirst()).contains("Ticket #" + held, "refused");
    }
  }

  @Test
  @DisplayName(
      "22.9: a mail that the server took comes once, though the server neither answers QUIT nor"
          + " keeps the connection")
  void noGoodBye() throws Exception {
    try (MailServer server = new MailServer("nobody")) {
      MailReceiver people = receiver(server.port(), "fay@example.org");
      notices.lead(people.name(), "nobody", Duration.ofMillis(1));
      try (NoticeWebhook mail =
          NoticeWebhook.start(people, notices, Sleeper.REAL, InstantSource.system(), POLL)) {
        for (String end : List.of("is SILENT", "is RESET", "is usual")) {
          long held = queue.enqueue();
          database.run("SELECT holdfast.hold_ticket(?, 'ann', ?)", held, end);
          await()
              .atMost(Duration.ofSeconds(30))
              .until(() -> server.mails.stream().anyMatch(each -> each.contains(end)));
        }
        assertThat(mail).isNotNull();
      }
      assertThat(server.mails).hasSize(3);
    }
  }

  /** A mail server that refuses recipients and spam: GreenMail takes all. */
  private static final class MailServer implements AutoCloseable {
    private final List<String> mails = new CopyOnWriteArrayList<>();
    private final ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final String refused;

    MailServer(String refused) throws IOException {
      this.refused = refused;
      Thread.ofVirtual().start(this::serve);
    }

    int port() {
      return socket.getLocalPort();
    }

    private void serve() {
      while (!socket.isClosed()) {
        try (Socket client = socket.accept()) {
          talk(client);
        } catch (IOException e) {
          // Either side has closed.
        }
      }
    }

    private void talk(Socket client) throws IOException {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
      answer(client, "220 hello");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        answer(client, line.startsWith("RCPT") && line.contains(refused) ? "550 no" : word(line));
        if (line.startsWith("DATA")) {
          String mail = mail(in);
          if (mail.contains("SPAM")) {
            answer(client, "554 spam");
          } else {
            mails.add(mail);
            answer(client, "250 taken");
            if (mail.contains("RESET")) {
              client.setSoLinger(true, 0);
              return;
            }
            if (mail.contains("SILENT")) {
              // Until the client goes.
              in.lines().forEach(rest -> {});
              return;
            }
          }
        }
      }
    }

    private static String word(String line) {
      return line.startsWith("DATA") ? "354 go on" : line.startsWith("QUIT") ? "221 bye" : "250 ok";
    }

    private static String mail(BufferedReader in) throws IOException {
      StringBuilder mail = new StringBuilder();
      for (String line = in.readLine(); !".".equals(line); line = in.readLine()) {
        mail.append(line).append('\n');
      }
      return mail.toString();
    }

    private static void answer(Socket client, String line) throws IOException {
      client.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  static MailReceiver receiver(int port) {
    return receiver(port, "ann@example.org", "bob@example.org");
  }

  private static MailReceiver receiver(int port, String... to) {
    return new MailReceiver(
        URI.create("smtp://127.0.0.1:" + port),
        "holdfast",
        "hunter2-hunter2",
        "holdfast@example.org",
        List.of(to),
        Duration.ofSeconds(5),
        NoticeWebhookIT.rules(Duration.ofDays(1), Duration.ofMillis(1), time -> false));
  }

  @Test
  @DisplayName("22.9: the right to tell and the digest wait for no clock that was ahead")
  void clockWasAhead() {
    assertThat(notices.lead("ahead", "one", Duration.ofMinutes(1))).isNotNull();
    assertThat(notices.lead("ahead", "two", Duration.ofMinutes(1))).isNull();
    assertThat(noted(LocalTime.NOON, "Z", "-9 days")).isFalse();
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.webhook_cursors WHERE name = 'noted:digest' AND"
                    + " updated_at > now()"))
        .isZero();
    database.run(
        "UPDATE holdfast.webhook_cursors SET held_until = held_until + interval '9 days' WHERE name"
            + " = 'ahead'");
    assertThat(notices.lead("ahead", "two", Duration.ofMinutes(1))).isNotNull();
  }

  @Test
  @DisplayName("22.9: the digest of a zone that is an offset is due by the clock of that offset")
  void offset() {
    // Half an hour ago by a clock two hours ahead; by one two hours behind it is due yesterday.
    for (String zone :
        List.of("+02:00", "UTC+02:00", "-03:30", "Etc/GMT-5", "Europe/Berlin", "Z")) {
      LocalTime due = LocalTime.now(ZoneId.of(zone)).minusMinutes(30);
      assertThat(noted(due, zone, "20 minutes")).as(zone).isFalse();
      assertThat(noted(due, zone, "40 minutes")).as(zone).isTrue();
    }
  }

  /** Whether a digest comes so long after the last one. */
  private boolean noted(LocalTime due, String zone, String since) {
    String digests = "SELECT count(*) FROM holdfast.ticket_activity WHERE action = 'digest'";
    database.run(
        "INSERT INTO holdfast.webhook_cursors (name, activity_id, updated_at) VALUES"
            + " ('noted:digest', 0, now() - ?::interval) ON CONFLICT (name) DO UPDATE SET"
            + " updated_at = EXCLUDED.updated_at",
        since);
    long before = database.number(digests);
    notices.noteDigest(due, ZoneId.of(zone));
    return database.number(digests) > before;
  }

  private static void assertMails(MimeMessage[] mails, long held, long reviewed) throws Exception {
    Map<String, MimeMessage> byId = new HashMap<>();
    for (MimeMessage each : mails) {
      byId.put(each.getMessageID().replaceAll("\\d+", "N"), each);
    }
    assertThat(mails).as("three mails to two people").hasSize(6);
    assertThat(byId)
        .containsOnlyKeys("<hold-N.N@holdfast>", "<review-N.N@holdfast>", "<digest-N.N@holdfast>");
    MimeMessage hold = Objects.requireNonNull(byId.get("<hold-N.N@holdfast>"));
    assertThat(hold.getSubject())
        .isEqualTo("Ticket #" + held + " waits for a person: ä [redacted:mail.password] Bcc: x");
    assertThat(hold.getAllRecipients()).hasSize(2);
    assertThat(hold.getContent().toString())
        .contains("https://holdfast.example/tickets/" + held, "held by: ann")
        .doesNotContain("hunter2");
    assertThat(Objects.requireNonNull(byId.get("<review-N.N@holdfast>")).getSubject())
        .isEqualTo("A result waits for review: ticket #" + reviewed);
    assertThat(Objects.requireNonNull(byId.get("<digest-N.N@holdfast>")).getSubject())
        .matches("\\d+ tickets are on hold and \\d+ in review, \\d+ ready; in 24 hours .*");
  }
}
