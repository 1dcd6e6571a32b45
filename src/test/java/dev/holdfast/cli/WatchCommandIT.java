package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.app.Main;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@WithDatabase
@Timeout(120)
@EverySetup
@Order(1) // it waits long
class WatchCommandIT {
  private final TestDatabase database;
  private final Cli cli;
  private final List<Thread> watching = new ArrayList<>();

  WatchCommandIT(TestDatabase database) {
    this.database = database;
    this.cli = Cli.on(database);
  }

  /** A running watch; its output ends when the reader is closed, as a pipe's does. */
  private record Watch(BufferedReader out, CompletableFuture<Integer> code)
      implements AutoCloseable {
    JsonNode next() throws IOException {
      return new JsonMapper().readTree(out.readLine());
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  private Watch watch(String... arguments) throws IOException {
    PipedInputStream read = new PipedInputStream(1 << 16);
    Terminal terminal =
        new Terminal(
            new PrintWriter(new PipedOutputStream(read), false, StandardCharsets.UTF_8),
            new PrintWriter(new StringWriter()),
            InputStream.nullInputStream(),
            InstantSource.system());
    CompletableFuture<Integer> code = new CompletableFuture<>();
    watching.add(
        Thread.startVirtualThread(
            () ->
                code.complete(Main.run(terminal, cli.environment(), cli.directory(), arguments))));
    return new Watch(new BufferedReader(new InputStreamReader(read, StandardCharsets.UTF_8)), code);
  }

  /** Without a reader it would end at the next word only, which may never come. */
  @AfterEach
  void end() throws InterruptedException {
    for (Thread each : watching) {
      each.interrupt();
      each.join();
    }
  }

  @Test
  @DisplayName("watch ID tells what was and what comes, and ends quietly with its reader")
  void one() throws Exception {
    long id = Long.parseLong(cli.run("enqueue", "--kind", "command").out().strip());
    long other = Long.parseLong(cli.run("enqueue", "--kind", "command").out().strip());
    Watch watch = watch("watch", "" + id, "--json");
    try (watch) {
      assertThat(watch.next().get("event").stringValue()).isEqualTo("created");
      cli.run("hold", "" + other, "--reason", "not this one");
      cli.run("hold", "" + id, "--reason", "wait", "--by", "ann");
      JsonNode held = watch.next();
      assertThat(held.get("event").stringValue()).isEqualTo("held");
      assertThat(held.get("ticket_id").longValue()).isEqualTo(id);
      assertThat(held.get("actor").stringValue()).isEqualTo("ann");
      assertThat(held.at("/details/reason").stringValue()).isEqualTo("wait");
      cli.run("release", "" + id);
      assertThat(watch.next().get("event").stringValue()).isEqualTo("released");
    }
    // A broken pipe shows at the next word.
    cli.run("hold", "" + id, "--reason", "nobody reads this");
    assertThat(watch.code().get(60, TimeUnit.SECONDS)).isZero();
  }

  @Test
  @DisplayName("watch shows claims and finished attempts of all tickets, each once")
  void all() throws Exception {
    try (Watch watch = watch("watch", "--json")) {
      long id = firstSeen(watch);
      claim(id);
      assertThat(nextButCreated(watch).get("event").stringValue()).isEqualTo("claimed");
      finish(id);
      assertThat(nextButCreated(watch).get("event").stringValue()).isEqualTo("failed");
      cli.run("pause", "default");
      JsonNode paused = nextButCreated(watch);
      assertThat(paused.get("event").stringValue()).isEqualTo("queue_paused");
      assertThat(paused.get("ticket_id").isNull()).isTrue();
    }
  }

  @Test
  @DisplayName("D31, D36, D38: watch words the retries of sessions, before and as they come")
  void sessions() throws Exception {
    long id = Long.parseLong(cli.run("enqueue", "--kind", "command").out().strip());
    TicketDatabase tickets = new TicketDatabase(database);
    tickets.tell(id, 1, new SessionEvent.AutoRetryStart(2, 3, 8_000, "HTTP 503"));
    try (Watch watch = watch("watch", "" + id)) {
      assertThat(watch.out().readLine()).contains("#" + id + " ready in queue default");
      assertThat(watch.out().readLine())
          .endsWith(
              "#%1$s Retrying (2/3) in 8s… (holdfast abort-retry %1$s to cancel): HTTP 503"
                  .formatted(id));
      tickets.tell(
          id,
          1,
          new SessionEvent.TurnStarted(4, 20),
          new SessionEvent.AutoRetryEnd(false, 3, "HTTP 503"),
          new SessionEvent.AutoRetryEnd(true, 1, null),
          new SessionEvent.AutoRetryDeferred(2, Duration.ofMinutes(6), "openai: rate_limit"),
          new SessionEvent.AutoRetryDeferred(1, null, "openai: auth_error"));
      // What no session writes is shown all the same.
      tickets.run(
          "INSERT INTO holdfast.session_events (ticket_id, lease_no, event, details) VALUES (?, 1,"
              + " 'auto_retry_end', '[]')",
          id);
      assertThat(watch.out().readLine()).endsWith("turn started: turn: 4 · max turns: 20");
      assertThat(watch.out().readLine()).endsWith("Retry failed after 3 attempts: HTTP 503");
      assertThat(watch.out().readLine()).endsWith("Retry succeeded after 1 attempts");
      assertThat(watch.out().readLine())
          .endsWith("Retry 2 is put off for 360s: openai: rate_limit");
      assertThat(watch.out().readLine()).endsWith("Retry 1 is put off: openai: auth_error");
      assertThat(watch.out().readLine()).contains("Retry failed");
    }
  }

  @Test
  @DisplayName("22.10: list -w lists again when something changes, until its reader is gone")
  void list() throws Exception {
    String queue = "watched-list";
    Watch watch = watch("list", "--queue", queue, "-w", "-o", "name");
    try (watch) {
      String first = cli.run("enqueue", "--kind", "command", "--queue", queue).out().strip();
      assertThat(skipEmpty(watch)).isEqualTo(first);
      String second = cli.run("enqueue", "--kind", "command", "--queue", queue).out().strip();
      assertThat(watch.out().readLine()).isEmpty();
      assertThat(watch.out().readLine()).isEqualTo(second);
      assertThat(watch.out().readLine()).isEqualTo(first);
    }
    cli.run("enqueue", "--kind", "command", "--queue", queue);
    assertThat(watch.code().get(60, TimeUnit.SECONDS)).isZero();
  }

  /** The first list may have been empty. */
  private static String skipEmpty(Watch watch) throws IOException {
    String line = watch.out().readLine();
    return line.isEmpty() ? watch.out().readLine() : line;
  }

  /**
   * The feed opens at the present, a moment after the command starts: tickets are made until one
   * shows.
   */
  @Test
  @DisplayName("watch goes on where it stopped when its connection is lost")
  void lostConnection() throws Exception {
    try (Watch watch = watch("watch", "--json")) {
      long id = firstSeen(watch);
      Cli.query(
          database,
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
              + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
      cli.run("hold", "" + id, "--reason", "told after the loss");
      JsonNode held = nextButCreated(watch);
      assertThat(held.at("/details/reason").stringValue()).isEqualTo("told after the loss");
    }
  }

  private long firstSeen(Watch watch) throws IOException {
    await("the feed is open")
        .pollDelay(Duration.ZERO)
        .until(
            () -> {
              boolean shown = watch.out().ready();
              if (!shown) {
                cli.run("enqueue", "--kind", "watched");
              }
              return shown;
            });
    JsonNode first = watch.next();
    assertThat(first.get("event").stringValue()).isEqualTo("created");
    return first.get("ticket_id").longValue();
  }

  private static JsonNode nextButCreated(Watch watch) throws IOException {
    JsonNode event = watch.next();
    while (event.get("event").stringValue().equals("created")) {
      event = watch.next();
    }
    return event;
  }

  private void claim(long id) throws SQLException {
    Cli.query(
        database,
        "INSERT INTO holdfast.leases (id, claimed_at, expires_at, worker_id, ids) VALUES"
            + " (nextval('holdfast.lease_no_seq'), now(), now() + interval '1 min', 'w1', ARRAY["
            + id
            + "]) RETURNING id");
  }

  private void finish(long id) throws SQLException {
    Cli.query(
        database,
        "INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at,"
            + " attempt, outcome, worker_id, error) SELECT "
            + id
            + ", id, claimed_at, now(), 1, 'failed', 'w1', 'boom' FROM holdfast.leases RETURNING"
            + " 1");
  }
}
