package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.cli.Cli;
import dev.holdfast.limit.NewLimit;
import dev.holdfast.limit.Rate;
import dev.holdfast.postgres.inbox.PostgresLimitDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.postgres.schedule.PostgresScheduleDesk;
import dev.holdfast.postgres.schedule.PostgresScheduleTicks;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox.Named;
import dev.holdfast.schedule.CatchUp;
import dev.holdfast.schedule.NewSchedule;
import dev.holdfast.schedule.Overlap;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ApiClient.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Graphs, limits and schedules that make no sense, by command, HTTP, SQL and Java: each says why in
 * the same words, and adds nothing.
 */
@WithDatabase
@DisplayName("By command, HTTP, SQL and Java alike")
class BadFlowsIT {
  private static final String LONG_KEY = "k".repeat(10_240);

  private final TicketDatabase database;
  private final Cli cli;
  @AutoClose private final HikariDataSource pool;
  private final PostgresTicketInbox inbox;
  private final PostgresLimitDesk limits;
  private final PostgresScheduleDesk schedules;
  @AutoClose private final WebServer server;
  @AutoClose private final ApiClient ann;
  @TempDir private Path directory;
  private long before;

  BadFlowsIT(TestDatabase testDatabase) {
    this.database = new TicketDatabase(testDatabase);
    this.cli = Cli.on(testDatabase);
    this.pool = database.pool(4);
    this.inbox = new PostgresTicketInbox(pool);
    this.limits = new PostgresLimitDesk(pool, "holdfast");
    this.schedules = new PostgresScheduleDesk(pool, "holdfast");
    this.server = WebFixture.server(pool);
    this.ann = new ApiClient(server.port(), WebFixture.ANN);
    database.run("INSERT INTO holdfast.queues (name) VALUES ('odd') ON CONFLICT DO NOTHING");
  }

  @BeforeEach
  void count() {
    before = tickets();
  }

  @AfterEach
  void nothingIsAdded() {
    assertThat(tickets()).isEqualTo(before);
    database.assertNoTicketIsLost();
    assertThat(limits.list()).isEmpty();
    assertThat(schedules.list()).isEmpty();
  }

  private long tickets() {
    return database.number("SELECT count(*) FROM holdfast.ticket_base");
  }

  private void command(int code, String words, String... line) {
    Cli.Result result = cli.run(line);
    assertThat(result.err()).startsWith("holdfast: ").contains(words).hasLineCount(1);
    assertThat(result.code()).isEqualTo(code);
    assertThat(result.out()).isEmpty();
  }

  private void http(int status, String words, String method, String path, String json) {
    Answer answer = ann.send(method, path, json, "Content-Type", "application/json");
    assertThat(answer.detail()).contains(words);
    assertThat(answer.status()).isEqualTo(status);
  }

  private void sql(String words, String call) {
    assertThatThrownBy(() -> database.run("SELECT holdfast." + call))
        .rootCause()
        .hasMessageContaining(words);
  }

  private static void java(String words, ThrowingCallable call) {
    assertThatThrownBy(call).hasMessageContaining(words);
  }

  private String file(String lines) throws IOException {
    return Files.writeString(directory.resolve("tickets.jsonl"), lines).toString();
  }

  private void graph(String words, String tickets, List<Named> same) throws IOException {
    command(2, words, "enqueue", "--file", file(tickets.replace("}, {", "}\n{")));
    http(422, words, "POST", "/api/v1/graphs", "{\"tickets\": [" + tickets + "]}");
    http(422, words, "POST", "/api/v1/batches", "{\"tickets\": [" + tickets + "]}");
    sql(words, "enqueue_tickets('[" + tickets + "]')");
    sql(words, "enqueue_batch('[" + tickets + "]', 'ann')");
    java(words, () -> inbox.enqueueGraph(same));
  }

  private static Named named(String name, String after) {
    return new Named(name, NewTicket.ofKind("k"), List.of(after));
  }

  @Test
  @DisplayName("a circle is named")
  void circle() throws IOException {
    graph(
        "these tickets wait for each other in a circle: a after b after a",
        "{\"name\": \"a\", \"kind\": \"k\", \"after\": [\"b\"]}, {\"name\": \"b\", \"kind\": \"k\","
            + " \"after\": [\"a\"]}",
        List.of(named("a", "b"), named("b", "a")));
  }

  @Test
  @DisplayName("a ticket that waits for itself is named")
  void itself() throws IOException {
    graph(
        "ticket \"a\" waits for itself",
        "{\"name\": \"a\", \"kind\": \"k\", \"after\": [\"a\"]}",
        List.of(named("a", "a")));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("a predecessor that never was, or that retention has deleted, is named")
  void predecessor(boolean pruned) throws IOException {
    long id = 999_999_999;
    if (pruned) {
      id = database.enqueue("gone");
      database.run("SELECT holdfast.cancel_ticket(?, 'ann')", id);
      database.run("DELETE FROM holdfast.tickets WHERE id = ?", id);
    }
    String words = "there is no ticket " + id + " to wait for";
    NewTicket ticket = NewTicket.ofKind("k").withAfter(List.of(id));
    command(3, words, "enqueue", "--kind", "k", "--after", Long.toString(id));
    command(3, words, "enqueue", "--file", file("{\"kind\": \"k\", \"after\": [" + id + "]}"));
    http(404, words, "POST", "/api/v1/tickets", "{\"kind\": \"k\", \"after\": [" + id + "]}");
    http(
        404, words, "POST", "/api/v1/tickets", "{\"kind\": \"k\", \"after\": {\"a\": " + id + "}}");
    sql(words, "enqueue_ticket('k', after => ARRAY[" + id + "])");
    java(words, () -> inbox.enqueue(ticket));
  }

  @Test
  @DisplayName("a predecessor with two names is named, whose result would come under one")
  void twoNames() throws IOException {
    long id = 999_999_999;
    String words = "ticket " + id + " has two names";
    String named = "{\"a\": " + id + ", \"b\": " + id + "}";
    String json = "{\"kind\": \"k\", \"after\": " + named + "}";
    String list = "{\"kind\": \"k\", \"after\": [" + named + "]}";
    NewTicket ticket = NewTicket.ofKind("k");
    command(2, words, "enqueue", "--kind", "k", "--after", "a=" + id + ",b=" + id);
    command(2, words, "enqueue", "--file", file(json));
    command(2, words, "enqueue", "--file", file(list));
    http(422, words, "POST", "/api/v1/tickets", json);
    http(422, words, "POST", "/api/v1/tickets", list);
    http(422, words, "POST", "/api/v1/graphs", "{\"tickets\": [" + json + "]}");
    sql(
        words,
        "enqueue_ticket('k', after => ARRAY[" + id + ", " + id + "], after_names => '{a,b}')");
    java(words, () -> ticket.withAfter(Map.of("a", id, "b", id)));
  }

  @Test
  @DisplayName("100,000 predecessors are too many")
  void many() throws IOException {
    String words = "a ticket may wait for 10000 others at most, not for 100000";
    List<Long> ids = LongStream.rangeClosed(1, 100_000).boxed().toList();
    String all = ids.stream().map(String::valueOf).collect(Collectors.joining(","));
    command(2, words, "enqueue", "--kind", "k", "--after", all);
    command(2, words, "enqueue", "--file", file("{\"kind\": \"k\", \"after\": [" + all + "]}"));
    String json = "{\"kind\": \"k\", \"after\": [" + all.substring(0, 80_000) + "9]}";
    http(422, "10000 others at most", "POST", "/api/v1/tickets", json);
    sql(
        words,
        "enqueue_ticket('k', after => ARRAY(SELECT g::bigint FROM generate_series(1, 100000) g))");
    java(words, () -> inbox.enqueue(NewTicket.ofKind("k").withAfter(ids)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"concurrency", "fairness", "unique"})
  @DisplayName("a key of 10 KB is too long")
  void keys(String which) throws IOException {
    String words = which.equals("unique") ? "500" : "has 10240 bytes, and 500 are allowed";
    String option = which.equals("unique") ? "--key" : "--" + which + "-key";
    String json = "{\"kind\": \"k\", \"" + which + "_key\": \"" + LONG_KEY + "\"}";
    NewTicket plain = NewTicket.ofKind("k");
    command(2, words, "enqueue", "--kind", "k", option, LONG_KEY);
    command(2, words, "enqueue", "--file", file(json));
    http(422, words, "POST", "/api/v1/tickets", json);
    sql("500 are allowed", "enqueue_ticket('k', " + which + "_key => repeat('k', 10240))");
    java(
        words,
        () ->
            inbox.enqueue(
                switch (which) {
                  case "concurrency" -> plain.withConcurrencyKey(LONG_KEY);
                  case "fairness" -> plain.withFairnessKey(LONG_KEY);
                  default -> plain.withUniqueKey(LONG_KEY);
                }));
  }

  @Test
  @DisplayName("a limit of 0 is none: a queue that lets nothing run is paused")
  void zero() {
    String words = " is from 1 to 1000000, not 0 (To let nothing run, pause the queue";
    for (String which : List.of("concurrent", "per_key")) {
      boolean all = which.equals("concurrent");
      command(2, which + words, "limit", "set", "queue:odd", "--" + which.replace('_', '-'), "0");
      http(422, which + words, "PUT", "/api/v1/limits/queue:odd", "{\"" + which + "\": 0}");
      sql(
          which + " is from 1 to 1000000, not 0",
          "set_limit('queue:odd', 'ann', " + which + " => 0)");
      java(
          which + words,
          () ->
              limits.set(
                  new NewLimit("queue:odd", all ? 0 : null, all ? null : 0, null, null), "ann"));
    }
    command(2, "rate" + words, "limit", "set", "queue:odd", "--rate", "0/1m");
    http(422, "rate" + words, "PUT", "/api/v1/limits/queue:odd", "{\"rate\": \"0/1m\"}");
    sql("rate is from 1", "set_limit('queue:odd', 'ann', rate => 0, per => '1 minute')");
    java(
        "rate" + words,
        () -> limits.set(new NewLimit("queue:odd", null, null, Rate.parse("0/1m"), null), "ann"));
  }

  @Test
  @DisplayName(
      "an expression that never comes is no schedule; in SQL the worker says so in its row")
  void neverComes() {
    String words = "cron: \"0 0 30 2 *\" never comes";
    schedule(words, "0 0 30 2 *", "UTC");
  }

  @Test
  @DisplayName("a zone that is not there is none; in SQL the worker says so in its row")
  void zone() {
    schedule("there is no time zone \"Mars/Base\"", "@daily", "Mars/Base");
  }

  private void schedule(String words, String cron, String zone) {
    command(2, words, "schedule", "put", "x", "--kind", "k", "--cron", cron, "--zone", zone);
    http(
        422,
        words,
        "PUT",
        "/api/v1/schedules/x",
        "{\"kind\": \"k\", \"cron\": \"%s\", \"zone\": \"%s\"}".formatted(cron, zone));
    java(
        words,
        () ->
            schedules.put(
                new NewSchedule(
                    "x", cron, null, zone, NewTicket.ofKind("k"), CatchUp.LAST, Overlap.ALLOW),
                "ann"));
    database.run(
        "SELECT holdfast.put_schedule('x', 'ann', cron => ?, zone => ?, kind => 'k')", cron, zone);
    new PostgresScheduleTicks(pool, "holdfast").tick(Duration.ofSeconds(10));
    assertThat(schedules.find("x").orElseThrow().problem()).contains(words);
    assertThat(cli.run("schedule", "list").out()).contains("never: ");
    schedules.delete("x", "ann");
  }
}
