package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** List, show, stats. */
@WithDatabase
@EverySetup
class ReadingCommandsIT {
  private final TestDatabase database;
  private final Cli cli;

  ReadingCommandsIT(TestDatabase database) {
    this.database = database;
    this.cli = Cli.on(database);
  }

  private long ready(String queue) {
    return Long.parseLong(
        cli.run("enqueue", "--kind", "command", "--queue", queue, "--payload", "{\"a\": [1]}")
            .out()
            .strip());
  }

  @Test
  @DisplayName("issue 22, 10: list chooses by kind, by text and by how long ago")
  void moreFilters() throws SQLException {
    String id =
        Cli.query(
            database,
            "INSERT INTO holdfast.tickets (kind, title, created_at) VALUES ('rare', 'Pay the Bill',"
                + " now() - interval '3 h') RETURNING id");
    assertThat(ids(cli.run("list", "--kind", "rare", "--json").json()))
        .containsExactly(Long.valueOf(id));
    assertThat(ids(cli.run("list", "--kind", "rarer", "--json").json())).isEmpty();
    assertThat(ids(cli.run("list", "--text", "the bill", "--json").json()))
        .containsExactly(Long.valueOf(id));
    assertThat(ids(cli.run("list", "--kind", "rare", "--since", "4h", "--json").json()))
        .containsExactly(Long.valueOf(id));
    assertThat(ids(cli.run("list", "--kind", "rare", "--since", "2h", "--json").json())).isEmpty();
    assertThat(cli.run("list", "--since", "yesterday").code()).isEqualTo(2);
    assertThat(cli.run("list", "--ready", "--kind", "rare").code()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-PT3H", "PT3H"})
  @DisplayName(
      "A53: what waits, and for how long, is told by the database's clock, not by this one")
  void byTheDatabasesClock(Duration ahead) throws SQLException {
    String queue = "clock" + ahead.toHours();
    String id =
        Cli.query(
            database,
            """
            INSERT INTO holdfast.tickets (kind, queue, retry_after, error_category, created_at, updated_at)
            VALUES ('command', '%s', now() + interval '330 min', 'transient', now() - interval '30 min', now() - interval '30 min')
            RETURNING id
            """
                .formatted(queue));
    InstantSource wrong = () -> Instant.now().plus(ahead);

    assertThat(cli.run(wrong, "", "list", "--queue", queue, "--since", "2h").out())
        .contains("30m ago")
        .contains("transient, due in 5h");
    assertThat(cli.run(wrong, "", "list", "--queue", queue, "--since", "10m", "-o", "name").out())
        .isEmpty();
    assertThat(cli.run(wrong, "", "show", id).out())
        .containsPattern("due +in 5h ")
        .containsPattern("created +30m ago ");
  }

  @Test
  @DisplayName("list --json has the columns of holdfast.tickets, json columns embedded")
  void listJson() throws SQLException {
    long id = ready("columns");

    JsonNode row = cli.run("list", "--queue", "columns", "--json").json().get(0);

    assertThat(row.propertyNames())
        .containsExactlyInAnyOrder(
            Cli.query(
                    database,
                    "SELECT string_agg(column_name, ',') FROM information_schema.columns WHERE"
                        + " table_schema = 'holdfast' AND table_name = 'tickets'")
                .split(",", -1));
    assertThat(row.get("id").longValue()).isEqualTo(id);
    assertThat(row.at("/payload/a/0").intValue()).isEqualTo(1);
    assertThat(row.get("created_at").stringValue()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
    assertThat(row.get("result").isNull()).isTrue();
  }

  @Test
  @DisplayName("A40: list --ready shows ten, or as many as one says, in the order of claims")
  void next() throws SQLException {
    Cli.query(
        database,
        "WITH added AS (INSERT INTO holdfast.tickets (kind, queue, priority, retry_after) SELECT"
            + " 'command', 'next', n, CASE WHEN n = 3 THEN now() + interval '1 day' END FROM"
            + " generate_series(1, 13) n RETURNING 1) SELECT count(*) FROM added");

    assertThat(priorities("list", "--ready", "--queue", "next"))
        .containsExactly(13, 12, 11, 10, 9, 8, 7, 6, 5, 4);
    assertThat(priorities("list", "--ready", "--queue", "next", "--limit", "12"))
        .containsExactly(13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 2, 1);
    assertThat(cli.run("list", "--ready", "--queue", "next").lines()).hasSize(11);
    Cli.Result mixed = cli.run("list", "--ready", "--state", "done");
    assertThat(mixed.code()).isEqualTo(2);
    assertThat(mixed.err()).contains("--ready goes with --queue and --limit only");
  }

  @Test
  @DisplayName(
      "a list that ends at its limit says so on standard error, and one that is whole does not")
  void more() {
    ready("many");
    ready("many");
    ready("many");

    for (String form : List.of("table", "wide", "name", "json")) {
      List<String> words =
          new ArrayList<>(List.of("list", "--queue", "many", "--state", "ready", "--limit"));
      List<String> output = form.equals("table") ? List.of() : List.of("-o", form);
      Cli.Result cut =
          cli.run(
              Stream.of(words, List.of("2"), output).flatMap(List::stream).toArray(String[]::new));
      Cli.Result whole =
          cli.run(
              Stream.of(words, List.of("3"), output).flatMap(List::stream).toArray(String[]::new));

      assertThat(cut.err()).contains("there are more than these 2; --limit N lists more");
      assertThat(whole.err()).isEmpty();
    }
    assertThat(ids(cli.run("list", "--queue", "many", "--limit", "2", "--json").json())).hasSize(2);
    assertThat(cli.run("list", "--ready", "--queue", "many", "--limit", "2").err())
        .contains("there are more than these 2");
  }

  private List<Integer> priorities(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.add("--json");
    return cli.run(all.toArray(String[]::new))
        .json()
        .valueStream()
        .map(row -> row.path("priority").intValue())
        .toList();
  }

  @Test
  @DisplayName("list filters by state, queue, category and fingerprint, newest first, limited")
  void filters() throws SQLException {
    long first = ready("filters");
    long second = ready("filters");
    long held = Cli.held(database, "api_error", "f-listed");

    assertThat(ids(cli.run("list", "--queue", "filters", "--json").json()))
        .containsExactly(second, first);
    assertThat(ids(cli.run("list", "--queue", "filters", "--limit", "1", "--json").json()))
        .containsExactly(second);
    assertThat(
            ids(
                cli.run(
                        "list",
                        "--state",
                        "on-hold",
                        "--category",
                        "api_error",
                        "--fingerprint",
                        "f-listed",
                        "--json")
                    .json()))
        .containsExactly(held);
    assertThat(ids(cli.run("list", "--state", "done", "--json").json())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--queue", "--kind", "--text", "--design"})
  @DisplayName("a blank filter of list is refused: a script that lost a value would get all")
  void blankFilters(String option) {
    for (String blank : List.of("", " \t")) {
      Cli.Result refused = cli.run("list", option, blank);
      assertThat(refused.code()).as("%s", refused).isEqualTo(2);
      assertThat(refused.out()).isEmpty();
      assertThat(refused.err()).contains(option + ": it is empty; leave it out").hasLineCount(1);
    }
    Cli.Result next = cli.run("list", "--ready", "--queue", "");
    assertThat(next.code()).as("%s", next).isEqualTo(2);
  }

  @Test
  @DisplayName("a fingerprint of less than 8 characters chooses nothing in silence")
  void shortFingerprint() {
    for (String fewer : List.of("", "abc", "0123456")) {
      Cli.Result refused = cli.run("list", "--fingerprint", fewer);
      assertThat(refused.code()).as("%s", refused).isEqualTo(2);
      assertThat(refused.out()).isEmpty();
      assertThat(refused.err()).contains("a fingerprint needs 8 characters at least");
    }
  }

  @Test
  @DisplayName("22.10: list takes several states, and prints json, wide or ids alone")
  void forms() throws SQLException {
    long first = ready("forms");
    long second = ready("forms");
    cli.run("hold", "" + first, "--reason", "so");
    cli.run("cancel", "" + second, "--reason", "so");
    long third = ready("forms");

    assertThat(
            cli.run("list", "--queue", "forms", "--state", "on_hold, cancelled", "-o", "name")
                .out())
        .isEqualTo("%s%n%s%n".formatted(second, first));
    assertThat(
            ids(
                cli.run(
                        "list",
                        "--queue",
                        "forms",
                        "--state",
                        "on-hold,ready",
                        "--json",
                        "-o",
                        "json")
                    .json()))
        .containsExactly(third, first);
    assertThat(
            cli.run(
                    "list",
                    "--queue",
                    "forms",
                    "--state",
                    "ready,on_hold",
                    "--limit",
                    "1",
                    "-o",
                    "name")
                .out()
                .strip())
        .isEqualTo("" + third);
    assertThat(cli.run("list", "--ready", "--queue", "forms", "-o", "name").out().strip())
        .isEqualTo("" + third);
    String title = "a long title ".repeat(20).strip();
    Cli.query(
        database,
        "UPDATE holdfast.tickets SET title = '%s' WHERE id = %s RETURNING id"
            .formatted(title, third));
    assertThat(cli.run("list", "--queue", "forms").out()).doesNotContain(title);
    assertThat(cli.run("list", "--queue", "forms", "-o", "wide").out())
        .contains("PRIORITY", "FINGERPRINT", title);
    for (String line :
        List.of(
            "list -o yaml",
            "list -o",
            "list --json -o name",
            "list --state ready,",
            "list --state ready,lost",
            "list -w --json",
            "list --color sometimes")) {
      Cli.Result wrong = cli.run(line.split(" "));
      assertThat(wrong.code()).as(line).isEqualTo(2);
      assertThat(wrong.err()).as(line).startsWith("holdfast: ").hasLineCount(1);
    }
  }

  @Test
  @DisplayName("22.10: --color always colours a list and help, and a pipe has no colours otherwise")
  void colours() throws SQLException {
    Cli.held(database, "code_error", "f-colour");

    assertThat(cli.run("list", "--fingerprint", "f-colour", "--color", "always").out())
        .contains("\u001b[31mon_hold\u001b[39m");
    assertThat(cli.run("list", "--help", "--color", "always").out()).contains("\u001b[");
    for (String when : List.of("auto", "never")) {
      assertThat(cli.run("list", "--fingerprint", "f-colour", "--color", when).out())
          .contains("on_hold")
          .doesNotContain("\u001b");
    }
    assertThat(cli.run("list", "--help").out()).doesNotContain("\u001b");
  }

  private static List<Long> ids(JsonNode rows) {
    return rows.valueStream().map(row -> row.get("id").longValue()).toList();
  }

  @Test
  @DisplayName("list for people: aligned, with relative times and why a ticket waits")
  void listText() throws SQLException {
    long id = Cli.held(database, "code_error", "f-text-8");

    List<String> lines = cli.run("list", "--fingerprint", "f-text-8").lines();

    assertThat(lines.getFirst()).startsWith("ID").contains("STATE", "UPDATED", "WHY");
    assertThat(lines.get(1))
        .startsWith(id + " ")
        .contains("on_hold", "s ago", "Max retries exceeded: code_error");
    assertThat(cli.run("list", "--queue", "empty").err().strip()).isEqualTo("no such tickets");
  }

  @Test
  @DisplayName("a title cannot steer the terminal")
  void controlCharacters() {
    cli.run(
        "enqueue", "--kind", "command", "--queue", "evil", "--title", "red \u001b[31m\nnew line");

    Cli.Result result = cli.run("list", "--queue", "evil");

    assertThat(result.out()).doesNotContain("\u001b").contains("red [31m new line");
    assertThat(result.lines()).hasSize(2);
  }

  @Test
  @DisplayName("show: the row, attempts, guidance and timeline, for people and as JSON")
  void show() throws SQLException {
    long id = Cli.held(database, "api_error", "f-show");
    cli.run("release", "" + id, "--guidance", "look in /data", "--by", "ann");
    Cli.query(
        database,
        """
        INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id, category, error)
        VALUES (%s, 1, now() - interval '5 s', now(), 1, 'failed', 'w1', 'api_error', 'boom') RETURNING 1
        """
            .formatted(id));

    JsonNode json = cli.run("show", "" + id, "--json").json();
    assertThat(json.get("state").stringValue()).isEqualTo("ready");
    assertThat(json.at("/attempts/0/outcome").stringValue()).isEqualTo("failed");
    assertThat(json.at("/attempts/0/worker_id").stringValue()).isEqualTo("w1");
    assertThat(json.at("/guidance/0/guidance").stringValue()).isEqualTo("look in /data");
    assertThat(json.at("/guidance/0/author").stringValue()).isEqualTo("ann");
    assertThat(json.get("timeline").valueStream().map(each -> each.get("event").stringValue()))
        .contains("created", "claimed", "failed", "released");

    String text = cli.run("show", "" + id).out();
    assertThat(text)
        .startsWith("#" + id)
        .contains("state         ready", "guidance by ann", "look in /data", "failed", "boom");
  }

  @Test
  @DisplayName("22.5: stats: queues, workers, tickets by design, groups of errors")
  void stats() throws SQLException {
    ready("stats-queue");
    Cli.held(database, "api_error", "f-stats");
    cli.run("pause", "stats-queue", "--by", "ann");
    Cli.query(
        database,
        "WITH put AS (INSERT INTO holdfast.designs (name, version, kind, definition) VALUES"
            + " ('stats-design', 3, 'manual', '{}') RETURNING id) SELECT count(*) FROM put");
    Cli.query(
        database,
        "WITH added AS (INSERT INTO holdfast.tickets (design, state) VALUES ('stats-design',"
            + " 'done'), ('stats-design', 'on_hold'), ('stats-design', 'ready') RETURNING id)"
            + " SELECT count(*) FROM added");

    JsonNode json = cli.run("stats", "--json").json();
    assertThat(
            json.get("queues")
                .valueStream()
                .filter(each -> each.get("queue").stringValue().equals("stats-queue"))
                .findFirst())
        .hasValueSatisfying(
            each -> {
              assertThat(each.get("ready").intValue()).isEqualTo(1);
              assertThat(each.get("paused").booleanValue()).isTrue();
            });
    assertThat(json.get("workers").isArray()).isTrue();
    assertThat(json.get("designs").valueStream().map(JsonNode::toString))
        .contains(
            "{\"name\":\"stats-design\",\"kind\":\"manual\",\"version\":3,\"versions\":1,"
                + "\"tickets\":3,\"succeeded\":1,\"held\":1,\"cost_usd\":null}");
    assertThat(
            json.get("error_groups")
                .valueStream()
                .map(each -> each.get("error_fingerprint").stringValue()))
        .contains("f-stats");

    assertThat(cli.run("stats").out())
        .contains("stats-queue", "by ann", "WORKER", "f-stats", "release --fingerprint")
        .containsPattern("(?m)ago +none: see their reasons with list --state on_hold$")
        .containsPattern("(?m)^stats-design +v3 +3 +1 +1 +50 % *$");
  }

  @Test
  @DisplayName("stats calls a worker lost that was not heard of for a minute, as the console does")
  void lostWorker() throws SQLException {
    Cli.query(
        database,
        "WITH added AS (INSERT INTO holdfast.workers (id, host, pid, version, kinds, concurrency,"
            + " state, heartbeat_at) VALUES ('w-killed', 'h', 1, '1', '{command}', 8, 'running',"
            + " now() - interval '2 minutes'), ('w-drained', 'h', 2, '1', '{command}', 8,"
            + " 'stopped', now() - interval '2 minutes'), ('w-lives', 'h', 3, '1', '{command}', 8,"
            + " 'running', now()) RETURNING id) SELECT count(*) FROM added");

    assertThat(cli.run("stats").out())
        .containsPattern("(?m)^w-killed +lost ")
        .containsPattern("(?m)^w-drained +stopped ")
        .containsPattern("(?m)^w-lives +running ");
    assertThat(cli.run("stats", "--json").json().get("workers").valueStream())
        .filteredOn(each -> each.get("id").stringValue().equals("w-killed"))
        .extracting(each -> each.get("state").stringValue())
        .containsExactly("lost");
  }

  @Test
  @DisplayName(
      "garbage in each argument: exit code 2 with the allowed words, 3 for what is not there")
  void garbage() {
    assertThat(cli.run("list", "--state", "on_hodl").err())
        .contains("did you mean on_hold", "needs_review");
    assertThat(cli.run("list", "--category", "sunny").err())
        .contains("transient, api_error, code_error, system_error, unknown");
    List<List<String>> lines =
        List.of(
            List.of("list", "--state", ""),
            List.of("list", "--state", "\u0130N_PROGRESS"),
            List.of("list", "--category", ""),
            List.of("list", "--limit", "0"),
            List.of("list", "--limit", "-1"),
            List.of("list", "--limit", "many"),
            List.of("list", "extra"),
            List.of("show"),
            List.of("show", "abc"),
            List.of("show", "1", "2"),
            List.of("stats", "--nope"),
            List.of("watch", "abc"));
    for (List<String> line : lines) {
      Cli.Result result = cli.run(line.toArray(String[]::new));
      assertThat(result.code()).as("%s: %s", line, result.err()).isEqualTo(2);
      assertThat(result.err())
          .as("%s", line)
          .startsWith("holdfast: ")
          .hasLineCount(1)
          .doesNotContain("Exception");
    }
    assertThat(cli.run("show", "999999999").code()).isEqualTo(3);
    assertThat(cli.run("watch", "999999999").code()).isEqualTo(3);
    assertThat(
            cli.run("list", "--queue", "'; DROP TABLE x; --", "--fingerprint", "\"".repeat(8))
                .code())
        .isZero();
  }
}
