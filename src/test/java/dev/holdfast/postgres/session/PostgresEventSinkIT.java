package dev.holdfast.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.LossyDataSource;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEvent.Level;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportSource;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.tool.ToolReply;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@WithDatabase
@Timeout(120)
@EverySetup
class PostgresEventSinkIT {
  private final TicketDatabase database;
  private final TestQueue queue;

  PostgresEventSinkIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  private PostgresEventSink sink() {
    return new PostgresEventSink(database.dataSource(), "holdfast", System::nanoTime, Secrets.NONE);
  }

  private List<String> events(long id) {
    return database.column(
        "SELECT event FROM holdfast.session_events WHERE ticket_id = ? ORDER BY id", id);
  }

  private static SessionEvent turn(int turn) {
    return new SessionEvent.TurnStarted(turn, 20);
  }

  @Test
  @DisplayName("D36, D37: the stream has turns, attempts, tools, retries, reports and warnings")
  void kinds() {
    long id = queue.enqueue();
    try (PostgresEventSink sink = sink()) {
      List.of(
              turn(1),
              new SessionEvent.Text("a piece"),
              new SessionEvent.Reasoning("a piece"),
              new SessionEvent.AttemptFinished(
                  1,
                  1,
                  JournalEntries.TARGET,
                  "ok",
                  JournalEntries.USAGE,
                  new BigDecimal("0.01"),
                  Duration.ofMillis(1500),
                  null,
                  Duration.ZERO),
              new SessionEvent.ToolsStarted(1, List.of(JournalEntries.CALL)),
              new SessionEvent.ToolFinished(
                  1,
                  new ToolReply(JournalEntries.CALL, ToolReply.Outcome.OK, "x".repeat(9_000), 1)),
              new SessionEvent.TurnFinished(1, 1, "ok", Duration.ofSeconds(2)),
              new SessionEvent.Logged(Level.WRN, "agent", "nul \0, half \uD83D"),
              new SessionEvent.Collapsed("incomplete", 2, 20, 3),
              new SessionEvent.ContextCompacted(9, 4, true),
              new SessionEvent.RetryAmplified("session"),
              new SessionEvent.AutoRetryStart(2, 3, 8_000, "HTTP 503"),
              new SessionEvent.AutoRetryEnd(false, 3, "HTTP 503"),
              new SessionEvent.ReportAccepted(
                  new FinalReport(FinalReport.Status.SUCCESS, "ok", null),
                  ReportSource.TOOL_CALL,
                  "none",
                  3))
          .forEach(event -> sink.on(id, 7, event));
      sink.close();
      assertThat(sink.dropped()).isZero();
    }

    assertThat(events(id))
        .containsExactly(
            "turn_started",
            "attempt_finished",
            "tools_started",
            "tool_finished",
            "turn_finished",
            "log",
            "turns_collapsed",
            "context_compacted",
            "auto_retry_start",
            "auto_retry_end",
            "report_accepted");
    assertThat(
            database.value(
                "SELECT details->>'message' FROM holdfast.session_events WHERE ticket_id = ? AND"
                    + " event = 'log'",
                id))
        .isEqualTo("nul \uFFFD, half \uFFFD");
    assertThat(
            database.number(
                "SELECT length(details->>'content') FROM holdfast.session_events WHERE ticket_id ="
                    + " ? AND event = 'tool_finished'",
                id))
        .isEqualTo(501);
    assertThat(
            database.value(
                "SELECT concat_ws(' ', lease_no, at BETWEEN now() - interval '1 minute' AND now())"
                    + " FROM holdfast.session_events WHERE ticket_id = ? LIMIT 1",
                id))
        .isEqualTo("7 t");
  }

  @Test
  @DisplayName("a database that is away costs the oldest events; the session is never held up")
  void away() {
    long id = queue.enqueue();
    LossyDataSource line = new LossyDataSource(database.dataSource());
    line.refuse();
    try (PostgresEventSink sink =
        new PostgresEventSink(line, "holdfast", System::nanoTime, 10, Secrets.NONE)) {
      for (int i = 1; i <= 2_000; i++) {
        sink.on(id, 7, turn(i));
      }
      line.accept();
      Awaitility.await().until(() -> events(id).size() + sink.dropped() == 2_000);
      assertThat(sink.dropped()).isPositive();
      assertThat(
              database.column(
                  "SELECT details->>'turn' FROM holdfast.session_events WHERE ticket_id = ? ORDER"
                      + " BY id DESC LIMIT 10",
                  id))
          .startsWith("2000", "1999")
          .endsWith("1991");
    }
  }

  @Test
  @DisplayName("a close while the database is away gives up in seconds and counts what is lost")
  void closedWhileAway() {
    long id = queue.enqueue();
    LossyDataSource line = new LossyDataSource(database.dataSource());
    line.refuse();
    PostgresEventSink sink =
        new PostgresEventSink(line, "holdfast", System::nanoTime, Secrets.NONE);
    for (int i = 0; i < 2_000; i++) {
      sink.on(id, 7, turn(1));
    }

    assertThat(CompletableFuture.runAsync(sink::close)).succeedsWithin(20, TimeUnit.SECONDS);
    sink.on(id, 7, turn(2));

    assertThat(sink.dropped()).isEqualTo(2_001);
  }

  @Test
  @DisplayName("events of a ticket that is gone are left out; those of the others are kept")
  void gone() {
    long id = queue.enqueue();
    try (PostgresEventSink sink = sink()) {
      sink.on(987_654_321, 7, turn(1));
      sink.on(id, 7, turn(1));
    }
    assertThat(events(id)).containsExactly("turn_started");
    assertThat(events(987_654_321)).isEmpty();
  }
}
