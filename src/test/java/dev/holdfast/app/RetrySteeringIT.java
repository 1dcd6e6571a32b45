package dev.holdfast.app;

import static dev.holdfast.testing.ModelBehaviour.choose;
import static dev.holdfast.testing.ModelBehaviour.error;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.TicketDesk.AutoRetry;
import dev.holdfast.queue.read.CurrentWait;
import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.TicketState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What people do about retries of tickets that whole workers run, on a real model server. */
@WithDatabase
@Timeout(90)
class RetrySteeringIT {
  private static final String TARGET =
      "targets: [{provider: openai, model: gpt-a}]\nlimits: {max_retries: 1}\n";
  private static final ModelBehaviour DONE = toolCall("agent__final_report", Fleet.REPORT);
  private static final ModelBehaviour BROKEN = error(500, "server_error", "the server broke");
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final TestDatabase database;
  private final PostgresTicketDesk desk;
  private final PostgresTicketReader reader;
  private final ModelServer models = ModelServer.start();
  private Fleet fleet;
  @TempDir private Path directory;

  RetrySteeringIT(TestDatabase database) {
    this.database = database;
    this.desk = new PostgresTicketDesk(database.dataSource());
    this.reader = new PostgresTicketReader(database.dataSource());
  }

  @BeforeEach
  void prepare() {
    fleet = new Fleet(database, models, directory);
    fleet.tickets.run("DELETE FROM holdfast.provider_cooldowns");
    fleet
        .with("SESSION_RETRY_BASE_DELAY", "10m")
        .with("RETRY_CATEGORIES_TRANSIENT_BASE_DELAY", "1h");
  }

  @AfterEach
  void stop() {
    fleet.close();
    models.close();
  }

  private CurrentWait awaitWait(long id, CurrentWait.Kind kind) {
    return Awaitility.await()
        .atMost(PATIENCE)
        .until(
            () -> reader.currentWait(id).orElse(null), wait -> wait != null && wait.kind() == kind);
  }

  /** Once is enough, also where the worker has not heard yet that the provider may be called. */
  private void tryNow(long id, int calls) {
    assertThat(desk.abortRetry(id, "ann")).isEqualTo(TicketState.READY);
    Awaitility.await().atMost(PATIENCE).until(() -> models.requests().size() == calls);
  }

  private List<String> retryEvents(long id) {
    return fleet.tickets.column(
        "SELECT event FROM holdfast.session_events WHERE ticket_id = ? AND event LIKE 'auto_retry%'"
            + " ORDER BY id",
        id);
  }

  /** A worker writes its events down by and by. */
  private void awaitEndOfRetry(long id) {
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(retryEvents(id)).containsExactly("auto_retry_start", "auto_retry_end"));
  }

  @Test
  @DisplayName(
      "D27, D28: abort-retry reaches a worker's session that waits: the wait ends, the events say"
          + " so")
  void abortRetry() {
    models.always(BROKEN);
    fleet.start(1);
    long id = fleet.enqueue("abort", TARGET, 1).getFirst();
    assertThat(awaitWait(id, CurrentWait.Kind.SESSION_RETRY).attempt()).isEqualTo(1);

    assertThat(desk.abortRetry(id, "ann")).isEqualTo(TicketState.IN_PROGRESS);

    assertThat(awaitWait(id, CurrentWait.Kind.TICKET_RETRY).reason()).contains("the server broke");
    awaitEndOfRetry(id);
    assertThat(
            fleet.tickets.value(
                "SELECT details->>'finalError' FROM holdfast.session_events WHERE event ="
                    + " 'auto_retry_end' AND ticket_id = "
                    + id))
        .isEqualTo("Retry cancelled");
    assertThat(models.requests()).hasSize(1);
  }

  @Test
  @DisplayName(
      "D27: abort-retry ends the wait of a session for its provider, too: the ticket waits then,"
          + " and is tried now where it is ordered again")
  void abortWaitForProvider() {
    models
        .next(error(429, "rate_limit_exceeded", "slow", Map.of("retry-after", "50")))
        .always(DONE);
    fleet.with("COOLDOWN_WAIT_IN_SESSION", "1m").with("COOLDOWN_SPREAD", "0").start(1);
    long id = fleet.enqueue("brief", TARGET.replace("1}", "2}"), 1).getFirst();
    Awaitility.await()
        .atMost(PATIENCE)
        .until(
            () ->
                fleet.tickets.number(
                        "SELECT count(*) FROM holdfast.session_events WHERE ticket_id = ? AND"
                            + " details->>'source' = 'agent:retry'",
                        id)
                    == 1);

    assertThat(desk.abortRetry(id, "ann")).isEqualTo(TicketState.IN_PROGRESS);

    assertThat(awaitWait(id, CurrentWait.Kind.PROVIDER).reason()).contains("rate_limit");
    assertThat(reader.hasRetryAbort(id)).isFalse();
    tryNow(id, 2);
    fleet.awaitAll(List.of(id), "done");
    assertThat(fleet.tickets.number("SELECT retry_count FROM holdfast.tickets WHERE id = ?", id))
        .isZero();
  }

  @Test
  @DisplayName(
      "D21, D33, D34: auto-retry switched off ends the wait of a running ticket, holds for the next"
          + " worker, and can be switched on again")
  void switched() {
    models.always(BROKEN);
    fleet.start(1);
    long id = fleet.enqueue("switched", TARGET, 1).getFirst();
    awaitWait(id, CurrentWait.Kind.SESSION_RETRY);

    desk.setAutoRetry(id, "ann", AutoRetry.OFF);

    awaitWait(id, CurrentWait.Kind.TICKET_RETRY);
    awaitEndOfRetry(id);
    fleet.workers.removeFirst().close();
    fleet.start(1);
    assertThat(desk.abortRetry(id, "ann")).isEqualTo(TicketState.READY);
    Awaitility.await().atMost(PATIENCE).until(() -> models.requests().size() == 2);
    awaitWait(id, CurrentWait.Kind.TICKET_RETRY);
    assertThat(retryEvents(id)).as("no retry of the second session").hasSize(2);

    desk.setAutoRetry(id, "bob", AutoRetry.ON);
    desk.abortRetry(id, "ann");

    awaitWait(id, CurrentWait.Kind.SESSION_RETRY);
    assertThat(reader.autoRetry(id).orElseThrow().changedBy()).isEqualTo("bob");
  }

  @Test
  @DisplayName("D26, D33: a design's session_retry counts before the worker's, field by field")
  void design() {
    models.always(BROKEN);
    // Both tickets share the provider: together they would be taken for its outage.
    fleet.with("COOLDOWN_OUTAGE_AFTER", "1000").start(1);
    long off = fleet.enqueue("off", TARGET + "session_retry: {enabled: false}\n", 1).getFirst();
    long quick =
        fleet
            .enqueue("quick", TARGET + "session_retry: {max_retries: 2, base_delay: 10ms}\n", 1)
            .getFirst();
    awaitWait(off, CurrentWait.Kind.TICKET_RETRY);
    assertThat(retryEvents(off)).isEmpty();
    Awaitility.await().atMost(PATIENCE).until(() -> retryEvents(quick).contains("auto_retry_end"));
    assertThat(retryEvents(quick))
        .containsExactly("auto_retry_start", "auto_retry_start", "auto_retry_end");
  }

  @Test
  @DisplayName(
      "D31: a ticket that waits for a provider is tried now, by one call; if that fails too, it"
          + " waits again, and no retry is used")
  void tryNow() {
    AtomicBoolean limited = new AtomicBoolean(true);
    models.always(
        choose(
            request ->
                limited.get()
                    ? error(429, "rate_limit_exceeded", "slow", Map.of("retry-after", "600"))
                    : DONE));
    fleet.with("COOLDOWN_POLL_INTERVAL", "10s").start(2);
    List<Long> ids = fleet.enqueue("now", TARGET, 2);
    long id = ids.getFirst();
    ids.forEach(each -> awaitWait(each, CurrentWait.Kind.PROVIDER));
    int before = models.requests().size();

    tryNow(id, before + 1);
    assertThat(awaitWait(id, CurrentWait.Kind.PROVIDER).left())
        .isGreaterThan(Duration.ofMinutes(5));
    limited.set(false);
    tryNow(id, before + 2);

    fleet.awaitAll(List.of(id), "done");
    assertThat(models.requests()).hasSize(before + 2);
    assertThat(fleet.tickets.number("SELECT retry_count FROM holdfast.tickets WHERE id = ?", id))
        .isZero();
    assertThat(
            fleet.tickets.column(
                "SELECT DISTINCT action FROM holdfast.ticket_activity WHERE ticket_id = ? AND actor"
                    + " = 'ann'",
                id))
        .containsExactly("tried_now");
    assertThatThrownBy(() -> desk.abortRetry(id, "ann"))
        .isInstanceOf(IllegalTransitionException.class);
    assertThatThrownBy(() -> desk.setAutoRetry(id, "ann", AutoRetry.OFF))
        .isInstanceOf(IllegalTransitionException.class);
  }
}
