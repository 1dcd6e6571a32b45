package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.ForgeTables;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code holdfast migrate --from}, on tables made by the first source's own statements. */
@WithDatabase
@EverySetup
class MigrateFromIT {
  private static final String ROWS =
      """
      INSERT INTO designs (id, name, definition) VALUES
        (1, 'build', '{"command": "make"}'),
        (2, 'fix', '{"system_prompt": "You fix.", "provider": "openai", "model": "gpt-a"}'),
        (3, 'odd', '{"steps": ["think", "hope"]}');
      INSERT INTO tickets (id, title, design_id, state, assignee_type, priority, vm_id, retry_count, rejection_count, error,
        hold_reason, created_at, updated_at, completed_at, retry_after, retry_strategy) VALUES
        (1, 'waits', 1, 'ready', 'agent', 'high', NULL, NULL, NULL, NULL, NULL, '2025-01-02 03:04:05.678', NULL, NULL, NULL, NULL),
        (2, 'later', 2, 'ready', 'agent', 'low', NULL, 2, 1, 'HTTP 503', NULL, '2025-01-02', NULL, NULL,
          '2199-01-02 03:04:05', '{"maxRetries": 3}'),
        (3, 'runs', 1, 'in_progress', 'agent', '5', 'vm-7', 1, 0, NULL, NULL, '2025-01-03', NULL, NULL, NULL, NULL),
        (4, 'shown', 2, 'needs_review', 'agent', 'medium', NULL, 0, 0, NULL, NULL, '2025-01-04', NULL, NULL, NULL, NULL),
        (5, 'held', 1, 'on_hold', 'agent', NULL, NULL, 3, 0, 'boom', 'Max retries exceeded: unknown', '2025-01-05',
          '2025-02-03 04:05:06', '2025-02-03 04:05:06', NULL, NULL),
        (6, 'over', 1, 'done', 'human', NULL, NULL, 0, 0, NULL, NULL, '2025-01-06', '2025-01-07', '2025-01-07', NULL, NULL),
        (7, 'gone', 2, 'cancelled', NULL, NULL, NULL, 0, 0, NULL, NULL, '2025-01-06', NULL, NULL, NULL, NULL),
        (8, 'blocked', 1, 'blocked', 'agent', NULL, NULL, 0, 0, NULL, NULL, '2025-01-06', NULL, NULL, NULL, NULL),
        (9, 'puzzle', 3, 'ready', 'agent', NULL, NULL, 0, 0, NULL, NULL, '2025-01-08', NULL, NULL, NULL, NULL),
        (10, 'bare', NULL, 'ready', 'agent', NULL, NULL, -4, 0, NULL, NULL, '2025-01-08', NULL, NULL, NULL, NULL),
        (11, 'alone', NULL, 'ready', 'agent', NULL, NULL, 0, 0, NULL, NULL, '2025-01-08', NULL, NULL, NULL, NULL);
      """;

  private final TestDatabase database;
  private final TicketDatabase sql;
  private final Cli cli;

  MigrateFromIT(TestDatabase database) {
    this.database = database;
    this.sql = new TicketDatabase(database);
    this.cli = Cli.on(database);
  }

  private void forge(String schema) {
    ForgeTables.create(database.dataSource(), schema, ROWS);
  }

  private List<String> imported(String schema, String columns) {
    return sql.column(
        "SELECT concat_ws('|', "
            + columns
            + ") FROM holdfast.tickets t JOIN holdfast.imported_tickets i ON i.ticket_id = t.id"
            + " LEFT JOIN holdfast.designs d ON d.id = t.design_id WHERE i.source = ?"
            + " ORDER BY i.source_id::integer",
        schema + ".tickets");
  }

  private String everything() {
    return String.join(
        " ",
        sql.column(
            "SELECT concat((SELECT count(*) FROM holdfast.tickets), '/', (SELECT count(*) FROM"
                + " holdfast.designs), '/', (SELECT count(*) FROM holdfast.imported_tickets))"));
  }

  @Test
  @DisplayName(
      "A59, A66: a dry run tells what each design and state becomes, and what is left and why; it"
          + " writes nothing")
  void dryRun() {
    forge("dry");
    String before = everything();

    AtomicLong seconds = new AtomicLong();
    Cli.Result result =
        cli.run(
            () -> Instant.ofEpochSecond(seconds.addAndGet(5)),
            "",
            "migrate",
            "--from",
            "dry.tickets",
            "--dry-run");

    assertThat(result.code()).as(result.toString()).isEqualTo(1);
    assertThat(result.out())
        .as(result.toString())
        .containsPattern("build +5 +design build, kind command")
        .containsPattern("fix +3 +design fix, kind agent")
        .containsPattern("odd +1 +not known: ")
        .containsPattern("- +2 +not known: no design")
        .containsPattern("ready +build +1 +ready +command")
        .containsPattern("in_progress +build +1 +left")
        .containsPattern("blocked +build +1 +on_hold +command")
        .containsPattern("(?m)^left, in progress: .*--in-progress ready: 3$")
        .containsPattern("(?m)^left, their design .*--map-kind THEIRS=KIND: 9, 11$")
        .containsPattern("(?m)^left, retry_count .*: 10$")
        .contains("dry run, nothing is written; without --dry-run 7 of 11 tickets are taken over");
    assertThat(result.err()).as("a slow one's").contains("looked at 11, 2.2 a second, 100 %");
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  @DisplayName("A59: a dry run needs no schema, and makes none")
  void dryRunWithoutSchema() {
    forge("early");
    sql.run("ALTER SCHEMA holdfast RENAME TO holdfast_away");
    Cli.Result result;
    Cli.Result unknown;
    List<String> made;
    try {
      result = cli.run("migrate", "--from", "early.tickets", "--dry-run");
      unknown =
          cli.run("migrate", "--from", "early.tickets", "--dry-run", "--design", "odd=thinker");
      made = sql.column("SELECT nspname FROM pg_namespace WHERE nspname = 'holdfast'");
    } finally {
      sql.run("ALTER SCHEMA holdfast_away RENAME TO holdfast");
    }

    assertThat(result.code()).as(result.toString()).isEqualTo(1);
    assertThat(result.out())
        .containsPattern("build +5 +design build, kind command, new here")
        .contains("without --dry-run 7 of 11 tickets are taken over");
    assertThat(unknown.err()).contains("there is no design \"thinker\"");
    assertThat(made).isEmpty();
  }

  @Test
  @DisplayName(
      "A59, A66, T3: tickets come with designs, states, counts and times; what cannot be mapped"
          + " comes once people say how; nothing comes twice; the source stays as it is")
  void takeOver() {
    forge("forge");
    String source = "SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM forge.tickets t";
    List<String> before = sql.column(source);

    Cli.Result first = cli.run("migrate", "--from", "forge.tickets", "--by", "ann");

    assertThat(first.code()).as(first.toString()).isEqualTo(1);
    assertThat(first.out()).contains("took over 7 of 11 tickets of forge.tickets");
    assertThat(
            imported(
                "forge",
                "i.source_id, t.title, t.state, d.name, t.kind, t.assignee_type, t.priority,"
                    + " t.retry_count, t.rejection_count, t.hold_reason, t.error"))
        .containsExactly(
            "1|waits|ready|build|command|agent|10|0|0",
            "2|later|ready|fix|agent|agent|-10|2|1|HTTP 503",
            "4|shown|needs_review|fix|agent|agent|0|0|0",
            "5|held|on_hold|build|command|agent|0|3|0|Max retries exceeded: unknown|boom",
            "6|over|done|build|command|human|0|0|0",
            "7|gone|cancelled|fix|agent|0|0|0",
            "8|blocked|on_hold|build|command|agent|0|0|0|Its state before it was taken over is not"
                + " known here: blocked");
    assertThat(
            imported(
                "forge",
                "t.created_at AT TIME ZONE 'UTC', t.retry_after AT TIME ZONE 'UTC',"
                    + " t.retry_strategy, t.payload"))
        .startsWith(
            "2025-01-02 03:04:05.678|{\"prompt\": \"waits\"}",
            "2025-01-02 00:00:00|2199-01-02 03:04:05|{\"maxRetries\": 3}|{\"prompt\": \"later\"}");
    assertThat(
            sql.column(
                "SELECT concat_ws('|', actor, details->>'source', details->>'sourceId') FROM"
                    + " holdfast.ticket_activity WHERE action = 'imported' AND details->>'source' ="
                    + " 'forge.tickets' AND details->>'sourceId' = '5'"))
        .containsExactly("ann|forge.tickets|5");

    assertThat(sql.column(source)).isEqualTo(before);
    sql.run("UPDATE forge.tickets SET retry_count = 4 WHERE id = 10");
    before = sql.column(source);
    cli.run("design", "put", "thinker", "--file", design("kind: command\ncommand: [\"true\"]\n"));
    Cli.Result second =
        cli.run(
            "migrate",
            "--from",
            "forge.tickets",
            "--in-progress",
            "ready",
            "--design",
            "odd=thinker",
            "--map-kind",
            "-=mail");

    assertThat(second.code()).as(second.toString()).isZero();
    assertThat(second.out()).contains("took over 4 of 11 tickets of forge.tickets");
    assertThat(imported("forge", "i.source_id, t.state, d.name, t.kind, t.retry_count"))
        .hasSize(11)
        .contains(
            "3|ready|build|command|1",
            "9|ready|thinker|command|0",
            "10|ready|mail|4",
            "11|ready|mail|0");
    assertThat(cli.run("migrate", "--from", "forge.tickets", "--map-kind", "-=mail").out())
        .contains("took over 0 of 11");
    assertThat(sql.column(source)).isEqualTo(before);
  }

  @Test
  @DisplayName(
      "A66: a kind for tickets without a design is given to those that have none; a plain one of"
          + " theirs stays")
  void ownKinds() {
    sql.run("CREATE SCHEMA kinds");
    sql.run(
        "CREATE TABLE kinds.tickets AS SELECT * FROM (VALUES (1, 'ready', 'email'), (2, 'ready',"
            + " NULL), (3, 'ready', 'two words')) AS t (id, state, kind)");

    assertThat(cli.run("migrate", "--from", "kinds.tickets", "--dry-run").out())
        .containsPattern("(?m)^left, their design .*: 2, 3$")
        .containsPattern(
            "- +3 +not known: no design; where a ticket has a plain kind it keeps that");
    Cli.Result result = cli.run("migrate", "--from", "kinds.tickets", "--map-kind", "-=mail");

    assertThat(result.code()).as(result.toString()).isZero();
    assertThat(imported("kinds", "i.source_id, t.kind"))
        .containsExactlyInAnyOrder("1|email", "2|mail", "3|mail");
  }

  private static String design(String text) {
    try {
      Path file = Files.createTempFile("design", ".yaml");
      Files.writeString(file, text);
      file.toFile().deleteOnExit();
      return file.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("A59: a row is not taken again after retention has deleted its ticket")
  void retention() {
    forge("kept");
    cli.run("migrate", "--from", "kept.tickets");
    sql.run(
        "DELETE FROM holdfast.tickets WHERE id = (SELECT ticket_id FROM holdfast.imported_tickets"
            + " WHERE source = 'kept.tickets' AND source_id = '6')");

    assertThat(cli.run("migrate", "--from", "kept.tickets").out()).contains("took over 0 of 11");
  }

  @Test
  @DisplayName("A66: a design that Holdfast has already is used if it is the same, else left alone")
  void sameDesign() {
    forge("one");
    cli.run("migrate", "--from", "one.tickets");
    forge("two");
    sql.run("UPDATE two.designs SET definition = '{\"command\": \"rm -r build\"}' WHERE id = 1");

    Cli.Result result = cli.run("migrate", "--from", "two.tickets");

    assertThat(result.out())
        .as(result.toString())
        .containsPattern("build +5 +not known: Holdfast has another design of this name")
        .containsPattern("fix +3 +design fix, kind agent");
    assertThat(sql.number("SELECT count(*) FROM holdfast.designs WHERE name IN ('build', 'fix')"))
        .isEqualTo(2);
  }

  @Test
  @DisplayName("A59: what is no table of tickets is refused with what it lacks and what to do")
  void badSources() {
    sql.run("CREATE TABLE public.no_state (id int)");
    sql.run("CREATE TABLE public.text_times (id int, state text, created_at text)");
    expectRefusal(2, "--from: \"tickets\" is no table with its schema", "tickets");
    expectRefusal(2, "is no table with its schema; write it as", "public.x; DROP TABLE y");
    expectRefusal(2, "the schema holdfast is Holdfast's own", "holdfast.tickets");
    expectRefusal(2, "there is no table public.nowhere", "public.nowhere");
    expectRefusal(2, "public.no_state has no column state; make a view", "public.no_state");
    expectRefusal(
        2, "has the column created_at of type text, not timestamp; make a", "public.text_times");
    Cli.Result alone = cli.run("migrate", "--dry-run");
    assertThat(alone.code()).isEqualTo(2);
    assertThat(alone.err()).contains("--from SCHEMA.TABLE");
    forge("words");
    expectRefusal(
        2,
        "no ticket there has the design \"biuld\"; there are: -, build,",
        "words.tickets",
        "--map-kind",
        "biuld=x");
    expectRefusal(2, "there is no design \"nobody\"", "words.tickets", "--design", "build=nobody");
    expectRefusal(2, "is no kind", "words.tickets", "--map-kind", "build=two words");
    expectRefusal(2, "neither leave nor ready", "words.tickets", "--in-progress", "maybe");
  }

  private void expectRefusal(int code, String words, String... options) {
    List<String> arguments = new ArrayList<>(List.of("migrate", "--dry-run", "--from"));
    arguments.addAll(List.of(options));
    Cli.Result result = cli.run(arguments.toArray(String[]::new));
    assertThat(result.err()).contains(words).hasLineCount(1);
    assertThat(result.code()).isEqualTo(code);
  }

  @Test
  @DisplayName(
      "A59: garbage comes through or is left with its reason: definitions as text, ids that are"
          + " words or missing, odd priorities, designs without a row, payloads that are no"
          + " objects")
  void garbage() {
    sql.run("CREATE SCHEMA bad");
    sql.run("CREATE TABLE bad.designs (id text, name text, definition text)");
    sql.run(
        """
        CREATE TABLE bad.tickets (id text, design_id text, state text, priority text, retry_count text, payload text,
          result jsonb, queue text, created_at date)
        """);
    sql.run(
        """
        INSERT INTO bad.designs VALUES ('a', 'garbage', '{"command": '), ('b', 'two words', '{"command": "true"}'),
          ('c', NULL, '{}'), ('d', 'empty', NULL), ('e', 'fine', '{"command": ["true"], "review": "none"}')
        """);
    sql.run(
        """
        INSERT INTO bad.tickets VALUES
          ('x-1', 'a', 'ready', NULL, '0', NULL, NULL, NULL, NULL), ('x-2', 'b', 'ready', NULL, '0', NULL, NULL, NULL, NULL),
          ('x-3', 'c', 'ready', NULL, '0', NULL, NULL, NULL, NULL), ('x-4', 'd', 'ready', NULL, '0', NULL, NULL, NULL, NULL),
          ('x-5', 'zz', 'ready', NULL, '0', NULL, NULL, NULL, NULL), ('x-6', 'e', 'ready', NULL, 'three', NULL, NULL, NULL, NULL),
          (NULL, 'e', 'ready', NULL, '0', NULL, NULL, NULL, NULL),
          ('x''7', 'e', NULL, '99999999999', NULL, '[1, 2]', '[true]', 'default', '2025-01-02')
        """);

    Cli.Result result = cli.run("migrate", "--from", "bad.tickets");

    assertThat(result.code()).as(result.toString()).isEqualTo(1);
    assertThat(result.out())
        .containsPattern("garbage +1 +not known: the design is not readable as JSON")
        .containsPattern("two words +1 +not known: its name is not plain")
        .containsPattern("empty +1 +not known: it has no definition")
        .containsPattern("zz +1 +not known: there is no such design")
        .containsPattern("(?m)^left, their design .*: x-1, x-2, x-3, x-4, x-5$")
        .containsPattern("(?m)^left, retry_count .*: x-6$")
        .containsPattern("(?m)^left, without an id: give them one there: NULL$")
        .contains("took over 1 of 8");
    assertThat(
            sql.column(
                "SELECT concat_ws('|', state, hold_reason, priority, queue, payload, result) FROM"
                    + " holdfast.tickets WHERE id = (SELECT ticket_id FROM"
                    + " holdfast.imported_tickets WHERE source_id = 'x''7')"))
        .containsExactly(
            "on_hold|Its state before it was taken over is not known here:"
                + " NULL|0|default|{\"payload\": \"[1, 2]\"}|[true]");
  }

  @Test
  @DisplayName(
      "A59: rows that share their id are left and named, in a dry run too, also where a page would"
          + " end between them")
  void sameIds() {
    sql.run("CREATE SCHEMA twice");
    sql.run("CREATE TABLE twice.tickets (id int, kind text, state text)");
    sql.run(
        "INSERT INTO twice.tickets SELECT n, 'mail', 'ready' FROM generate_series(1, 2001) n"
            + " UNION ALL VALUES (7, 'mail', 'ready'), (2000, 'mail', 'in_progress'), (2000,"
            + " 'mail', 'ready')");
    List<String> options = List.of("migrate", "--from", "twice.tickets", "--map-kind", "-=mail");
    List<String> dry = new ArrayList<>(options);
    dry.add("--dry-run");

    Cli.Result told = cli.run(dry.toArray(String[]::new));
    Cli.Result done = cli.run(options.toArray(String[]::new));

    for (Cli.Result result : List.of(told, done)) {
      assertThat(result.code()).as(result.toString()).isEqualTo(1);
      assertThat(result.out())
          .containsPattern("(?m)^left, several rows have this id.*: 7, 7, 2000, 2000, 2000$");
    }
    assertThat(told.out()).contains("without --dry-run 1999 of 2004 tickets");
    assertThat(done.out()).contains("took over 1999 of 2004 tickets");
  }

  @Test
  @DisplayName(
      "A59: what cannot be kept of a queue's name or a retry strategy leaves the row, which is"
          + " named; no ticket comes to another queue")
  void unusable() {
    sql.run("CREATE SCHEMA odd");
    sql.run("CREATE TABLE odd.tickets (id int, state text, queue text, retry_strategy text)");
    sql.run(
        "INSERT INTO odd.tickets VALUES (1, 'ready', 'build it', NULL), (2, 'ready', 'prüfen',"
            + " NULL), (3, 'ready', 'a/b', NULL), (4, 'ready', repeat('q', 64), NULL), (5,"
            + " 'ready', NULL, NULL), (6, 'ready', '', ''), (7, 'ready', 'nightly', NULL), (8,"
            + " 'ready', NULL, '{\"maxRetries\": 3}'), (9, 'in_progress', 'a b', NULL)");

    Cli.Result result = cli.run("migrate", "--from", "odd.tickets", "--map-kind", "-=mail");

    assertThat(result.code()).as(result.toString()).isEqualTo(1);
    assertThat(result.out())
        .containsPattern("(?m)^left, their queue.*: 1, 2, 3, 4$")
        .containsPattern("(?m)^left, retry_strategy.*: 8$")
        .containsPattern("(?m)^left, in progress.*: 9$")
        .contains("took over 3 of 9 tickets");
    assertThat(imported("odd", "i.source_id, t.queue"))
        .containsExactly("5|default", "6|default", "7|nightly");

    sql.run("DELETE FROM odd.tickets WHERE id NOT IN (5, 7)");
    sql.run("UPDATE odd.tickets SET queue = 'a b' WHERE id = 5");
    sql.run("UPDATE odd.tickets SET retry_strategy = '?' WHERE id = 7");
    assertThat(cli.run("migrate", "--from", "odd.tickets", "--map-kind", "-=mail").code())
        .as("nothing is left: both were taken before")
        .isZero();
  }

  @Test
  @DisplayName(
      "A59: a row whose payload is too long or too deep is left and named, in a dry run too, and"
          + " the others are taken")
  void badPayloads() {
    sql.run("CREATE SCHEMA large");
    sql.run("CREATE TABLE large.tickets (id int, kind text, state text, payload jsonb)");
    sql.run(
        "INSERT INTO large.tickets VALUES (1, 'mail', 'ready', '{\"n\": 1}'), (2, 'mail', 'done',"
            + " jsonb_build_object('text', repeat('x', 17000000))), (3, 'mail', 'ready',"
            + " (concat('{\"a\": ', repeat('[', 600), repeat(']', 600), '}'))::jsonb), (4, 'mail',"
            + " 'ready', '{\"n\": 4}')");

    Cli.Result told = cli.run("migrate", "--from", "large.tickets", "--dry-run");
    Cli.Result done = cli.run("migrate", "--from", "large.tickets");

    for (Cli.Result result : List.of(told, done)) {
      assertThat(result.code()).as(result.toString()).isEqualTo(1);
      assertThat(result.out()).containsPattern("(?m)^left, their payload is longer .*: 2, 3$");
    }
    assertThat(told.out()).contains("without --dry-run 2 of 4 tickets");
    assertThat(done.out()).contains("took over 2 of 4 tickets");
  }

  @Test
  @DisplayName("A59: a row with an infinite time is left and named, and the others are taken")
  void infiniteTimes() {
    sql.run("CREATE SCHEMA endless");
    sql.run(
        "CREATE TABLE endless.tickets (id int, state text, hold_reason text, created_at"
            + " timestamptz, updated_at timestamp, started_at timestamp, completed_at date,"
            + " retry_after timestamp)");
    sql.run(
        "INSERT INTO endless.tickets VALUES (1, 'done', NULL, 'infinity', NULL, NULL, NULL), (2,"
            + " 'on_hold', NULL, NULL, '-infinity', NULL, NULL), (3, 'done', NULL, NULL, NULL,"
            + " 'infinity', NULL), (4, 'done', NULL, NULL, NULL, NULL, 'infinity'), (5, 'on_hold',"
            + " 'to infinity', '2025-01-02', NULL, NULL, '2025-01-03')");
    sql.run(
        "INSERT INTO endless.tickets (id, state, retry_after) VALUES (6, 'ready', 'infinity'), (7,"
            + " 'done', '-infinity'), (8, 'ready', '2199-01-02')");

    Cli.Result result = cli.run("migrate", "--from", "endless.tickets", "--map-kind", "-=mail");

    assertThat(result.code()).as(result.toString()).isEqualTo(1);
    assertThat(result.out())
        .containsPattern("(?m)^left, created_at.* or retry_after .*: 1, 3, 4, 7, 2, 6$")
        .contains("took over 2 of 8 tickets");
    assertThat(imported("endless", "i.source_id, t.hold_reason, t.retry_after AT TIME ZONE 'UTC'"))
        .containsExactly("5|to infinity", "8|2199-01-02 00:00:00");
  }

  @Test
  @DisplayName("A59: a hold whose reason is blank says that it is from before")
  void blankReason() {
    sql.run("CREATE SCHEMA mute");
    sql.run("CREATE TABLE mute.tickets (id int, state text, hold_reason text)");
    sql.run(
        "INSERT INTO mute.tickets VALUES (1, 'on_hold', E' \\r\\n\\t'), (2, 'on_hold', ' why ')");

    cli.run("migrate", "--from", "mute.tickets", "--map-kind", "-=mail");

    assertThat(imported("mute", "i.source_id, t.hold_reason"))
        .containsExactly("1|on hold before it was taken over", "2| why ");
  }

  @Test
  @DisplayName("A59: the retry strategies of a column of jsonb stay; null is none")
  void strategies() {
    sql.run("CREATE SCHEMA json");
    sql.run("CREATE TABLE json.tickets (id int, state text, retry_strategy jsonb)");
    sql.run(
        "INSERT INTO json.tickets VALUES (1, 'ready', '{\"maxRetries\": 3}'), (2, 'ready',"
            + " 'null'), (3, 'ready', '[3]')");

    Cli.Result result = cli.run("migrate", "--from", "json.tickets", "--map-kind", "-=mail");

    assertThat(result.out())
        .as(result.toString())
        .containsPattern("(?m)^left, retry_strategy.*: 3$");
    assertThat(imported("json", "i.source_id, t.retry_strategy"))
        .containsExactly("1|{\"maxRetries\": 3}", "2");
  }

  @Test
  @DisplayName(
      "A59, A32: a retry strategy that would count for nothing leaves the row, which is named; what"
          + " a decision left there is taken over")
  void strategiesThatCannotCount() {
    sql.run("CREATE SCHEMA plans");
    sql.run("CREATE TABLE plans.tickets (id int, state text, retry_strategy jsonb)");
    sql.run(
        """
        INSERT INTO plans.tickets VALUES
          (1, 'ready', '{"max_delay": "31d"}'), (2, 'done', '{"foo": 1}'), (3, 'ready', '{"max_delay": "30d"}'),
          (4, 'ready', '{"errorCategory": "code_error", "maxRetries": 3, "backoffType": "linear", "nextDelayMs": 1000,
            "attemptsRemaining": 2}'),
          (5, 'ready', '{"errorCategory": "unknown", "categories": {"unknown": {"max_retries": 1001}}}'), (6, 'ready', '{}')
        """);

    Cli.Result told =
        cli.run("migrate", "--from", "plans.tickets", "--map-kind", "-=mail", "--dry-run");
    Cli.Result done = cli.run("migrate", "--from", "plans.tickets", "--map-kind", "-=mail");

    for (Cli.Result result : List.of(told, done)) {
      assertThat(result.code()).as(result.toString()).isEqualTo(1);
      assertThat(result.out()).containsPattern("(?m)^left, retry_strategy is no .*: 1, 5, 2$");
    }
    assertThat(told.out()).contains("without --dry-run 3 of 6 tickets");
    assertThat(done.out()).contains("took over 3 of 6 tickets");
    assertThat(imported("plans", "i.source_id, t.retry_strategy->>'maxRetries'"))
        .containsExactly("3", "4|3", "6");
  }

  @Test
  @DisplayName("A66: the tickets of a design that is there twice are left and named")
  void sameDesigns() {
    sql.run("CREATE SCHEMA two_designs");
    sql.run("CREATE TABLE two_designs.designs (id int, name text, definition text)");
    sql.run(
        "INSERT INTO two_designs.designs VALUES (1, 'two-a', '{\"command\": \"true\"}'), (1,"
            + " 'two-b', '{\"command\": \"false\"}')");
    sql.run("CREATE TABLE two_designs.tickets (id int, design_id int, state text)");
    sql.run("INSERT INTO two_designs.tickets VALUES (1, 1, 'ready')");

    Cli.Result result = cli.run("migrate", "--from", "two_designs.tickets");

    assertThat(result.code()).as(result.toString()).isEqualTo(1);
    assertThat(result.out())
        .containsPattern("(?m)^1 +1 +not known: there is no such design, or more than one")
        .containsPattern("(?m)^left, their design .*: 1$")
        .contains("took over 0 of 1 tickets");
  }

  @Test
  @Tag("slow")
  @DisplayName("A59: 10,000 rows come in pages, and a second run takes none of them")
  void many() {
    ForgeTables.create(
        database.dataSource(),
        "many",
        """
        INSERT INTO designs (id, name, definition) VALUES (1, 'bulk', '{"command": "true"}');
        INSERT INTO tickets (title, design_id, state, assignee_type)
        SELECT 'n ' || n, 1, CASE WHEN n % 4 = 0 THEN 'ready' ELSE 'done' END, 'agent' FROM generate_series(1, 10000) n;
        """);
    long ready = sql.number("SELECT count(*) FROM holdfast.ready");

    Cli.Result first = cli.run("migrate", "--from", "many.tickets");
    assertThat(first.out()).as(first.toString()).contains("took over 10000 of");
    assertThat(sql.number("SELECT count(*) FROM holdfast.ready") - ready).isEqualTo(2_500);
    assertThat(cli.run("migrate", "--from", "many.tickets").out()).contains("took over 0 of");
  }
}
