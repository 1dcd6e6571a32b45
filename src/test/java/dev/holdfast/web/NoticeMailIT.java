package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.read.PostgresPeopleNotices;
import dev.holdfast.queue.PeopleNotices;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.webhook.MailReceiver;
import dev.holdfast.web.webhook.NoticeWebhook;
import jakarta.mail.internet.MimeMessage;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Mails about holds, results and the day, through a server of SMTP. */
@WithDatabase
@Timeout(60)
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
      await().atMost(Duration.ofSeconds(20)).until(() -> sleeps.get() > 3);
      GreenMail again =
          new GreenMail(new ServerSetup(port, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
      again.setUser("holdfast@example.org", "holdfast", "hunter2-hunter2");
      again.start();
      try {
        await()
            .atMost(Duration.ofSeconds(20))
            .untilAsserted(() -> assertMails(again.getReceivedMessages(), held, reviewed));
      } finally {
        again.stop();
      }
      assertThat(mail).isNotNull();
    }
  }

  static MailReceiver receiver(int port) {
    return new MailReceiver(
        URI.create("smtp://127.0.0.1:" + port),
        "holdfast",
        "hunter2-hunter2",
        "holdfast@example.org",
        List.of("ann@example.org", "bob@example.org"),
        Duration.ofSeconds(5),
        NoticeWebhookIT.rules(Duration.ofDays(1), Duration.ofMillis(1), time -> false));
  }

  private static void assertMails(MimeMessage[] mails, long held, long reviewed) throws Exception {
    Map<String, MimeMessage> byId = new HashMap<>();
    for (MimeMessage each : mails) {
      byId.put(each.getMessageID().replaceAll("\\d+", "N"), each);
    }
    assertThat(mails).as("three mails to two people").hasSize(6);
    assertThat(byId)
        .containsOnlyKeys("<hold-N@holdfast>", "<review-N@holdfast>", "<digest-N@holdfast>");
    MimeMessage hold = Objects.requireNonNull(byId.get("<hold-N@holdfast>"));
    assertThat(hold.getSubject())
        .isEqualTo("Ticket #" + held + " waits for a person: ä [redacted:mail.password] Bcc: x");
    assertThat(hold.getAllRecipients()).hasSize(2);
    assertThat(hold.getContent().toString())
        .contains("https://holdfast.example/tickets/" + held, "held by: ann")
        .doesNotContain("hunter2");
    assertThat(Objects.requireNonNull(byId.get("<review-N@holdfast>")).getSubject())
        .isEqualTo("A result waits for review: ticket #" + reviewed);
    assertThat(Objects.requireNonNull(byId.get("<digest-N@holdfast>")).getSubject())
        .matches("\\d+ tickets are on hold and \\d+ in review, \\d+ ready; in 24 hours .*");
  }
}
