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
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.webhook.MailReceiver;
import dev.holdfast.web.webhook.NoticeWebhook;
import jakarta.mail.internet.MimeMessage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Mails about budgets, through a server of SMTP. */
@WithDatabase
@Timeout(120)
class BudgetMailIT {
  private static final Duration POLL = Duration.ofMillis(20);

  private final TicketDatabase database;
  private final PeopleNotices notices;
  @AutoClose private final HikariDataSource pool;

  BudgetMailIT(TestDatabase testDatabase) {
    this.database = new TicketDatabase(testDatabase);
    this.pool = database.pool(4);
    this.notices = new PostgresPeopleNotices(pool, "holdfast");
  }

  @Test
  @DisplayName(
      "22.9: mail tells once that a budget is nearly used up and once that it is, with what it"
          + " takes to raise it")
  void budget() throws Exception {
    GreenMail server = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    server.setUser("holdfast@example.org", "holdfast", "hunter2-hunter2");
    server.start();
    MailReceiver people = NoticeMailIT.receiver(server.getSmtp().getPort());
    notices.lead(people.name(), "nobody", Duration.ofMillis(1));
    database.run(
        "INSERT INTO holdfast.budgets (scope, per, limit_usd, spent_usd, changed_by) VALUES"
            + " ('design:mailed', 'total', 10, 8.5, 'ann')");
    try (var _ = NoticeWebhook.start(people, notices, Sleeper.REAL, InstantSource.system(), POLL)) {
      awaitBudgets(server, "The budget design:mailed is nearly used up: 8.5 of 10 USD are spent");
      database.run("UPDATE holdfast.budgets SET spent_usd = 10 WHERE scope = 'design:mailed'");
      awaitBudgets(
          server,
          "The budget design:mailed is nearly used up: 8.5 of 10 USD are spent",
          "The budget design:mailed is used up: 10 of 10 USD are spent, and what needs more waits;"
              + " raise it: holdfast budgets raise design:mailed --to USD");
    } finally {
      server.stop();
    }
  }

  /** Each to two people. The subject ends where it is too long; the text has all of it. */
  private static void awaitBudgets(GreenMail server, String... texts) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              List<String> told = new ArrayList<>();
              for (MimeMessage each : server.getReceivedMessages()) {
                if (each.getMessageID().startsWith("<budget-")) {
                  String text = each.getContent().toString();
                  assertThat(text).contains("https://holdfast.example/providers");
                  told.add(text.lines().findFirst().orElseThrow().replaceFirst(" https:.*", ""));
                }
              }
              assertThat(told)
                  .containsExactlyInAnyOrderElementsOf(
                      Stream.of(texts).flatMap(each -> Stream.of(each, each)).toList());
            });
  }
}
