package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Release, hold, cancel, approve, reject, pause, resume. */
@WithDatabase
@EverySetup
class TicketCommandsIT {
  private final TestDatabase database;
  private final Cli cli;

  TicketCommandsIT(TestDatabase database) {
    this.database = database;
    this.cli = Cli.on(database);
  }

  private String state(long id) throws SQLException {
    return Cli.query(database, "SELECT state FROM holdfast.tickets WHERE id = " + id);
  }

  private long ready() {
    return Long.parseLong(cli.run("enqueue", "--kind", "command").out().strip());
  }

  private long inReview() throws SQLException {
    return Long.parseLong(
        Cli.query(
            database,
            "INSERT INTO holdfast.tickets (kind, state) VALUES ('command', 'needs_review')"
                + " RETURNING id"));
  }

  private String actor(long id) throws SQLException {
    return Cli.query(
        database,
        "SELECT action || ' by ' || actor FROM holdfast.ticket_activity WHERE ticket_id = "
            + id
            + " ORDER BY id DESC LIMIT 1");
  }

  @Test
  @DisplayName("A56: release sends a held ticket back with guidance and a clean count of retries")
  void release() throws SQLException {
    long id = Cli.held(database, "api_error", "f-release");

    Cli.Result result =
        cli.run("release", "#" + id, "--guidance", "try the other key", "--by", "ann");

    assertThat(result.code()).isZero();
    assertThat(result.out().strip()).isEqualTo("released #" + id);
    assertThat(state(id)).isEqualTo("ready");
    assertThat(actor(id)).isEqualTo("released by ann");
    assertThat(Cli.query(database, "SELECT retry_count FROM holdfast.tickets WHERE id = " + id))
        .isEqualTo("0");
    assertThat(
            Cli.query(
                database, "SELECT guidance FROM holdfast.ticket_guidance WHERE ticket_id = " + id))
        .isEqualTo("try the other key");
  }

  @Test
  @DisplayName(
      "A56: --keep-retries keeps the count; --by defaults to the user; @- reads the guidance;"
          + " --fresh is taken")
  void keepRetries() throws SQLException {
    long id = Cli.held(database, "api_error", "f-keep");

    cli.runWithInput(
        "two\nlines", "release", "" + id, "--keep-retries", "--fresh", "--guidance", "@-");

    assertThat(Cli.query(database, "SELECT retry_count FROM holdfast.tickets WHERE id = " + id))
        .isEqualTo("2");
    assertThat(actor(id)).isEqualTo("released by " + System.getProperty("user.name"));
    assertThat(
            Cli.query(
                database, "SELECT guidance FROM holdfast.ticket_guidance WHERE ticket_id = " + id))
        .isEqualTo("two\nlines");
  }

  @Test
  @DisplayName("several ids: the refused ones are named, and the exit code is 3")
  void someRefused() throws SQLException {
    long held = Cli.held(database, "api_error", "f-some");
    long ready = ready();

    Cli.Result result = cli.run("release", "" + held, "" + ready, "999999999");

    assertThat(result.code()).isEqualTo(3);
    assertThat(result.out().strip())
        .isEqualTo("released 1 of 3; refused #" + ready + " #999999999");
    assertThat(result.err().lines())
        .hasSize(2)
        .anySatisfy(
            line ->
                assertThat(line).startsWith("holdfast: #" + ready + ": ").contains("it is ready"))
        .anySatisfy(
            line -> assertThat(line).startsWith("holdfast: #999999999: ").contains("no ticket"));
  }

  @Test
  @DisplayName("the same as JSON")
  void someRefusedJson() throws SQLException {
    long held = Cli.held(database, "api_error", "f-json");
    Cli.Result result = cli.run("release", "" + held, "999999999", "--json");
    assertThat(result.json().at("/released/0").longValue()).isEqualTo(held);
    assertThat(result.json().at("/refused/0/id").longValue()).isEqualTo(999999999);
    assertThat(result.json().at("/refused/0/error").stringValue()).contains("no ticket");
  }

  @Test
  @DisplayName(
      "release by fingerprint goes through all held tickets in batches, and leaves others alone")
  void bulkFingerprint() throws SQLException {
    Cli.query(
        database,
        """
        WITH added AS (
          INSERT INTO holdfast.tickets (kind, state, error_category, error_fingerprint, hold_reason)
          SELECT 'command', 'on_hold', 'system_error', 'f-bulk-it', 'why' FROM generate_series(1, 503) RETURNING id)
        SELECT count(*) FROM added
        """);
    long other = Cli.held(database, "system_error", "f-other");

    Cli.Result result = cli.run("release", "--fingerprint", "f-bulk-it", "--guidance", "go on");

    assertThat(result.code()).isZero();
    assertThat(result.out()).startsWith("released all 503: #").hasLineCount(2);
    assertThat(result.err().lines())
        .allMatch(line -> line.matches("released [0-9,]+, [0-9,.]+ a second, [0-9]+ %, .* left"));
    assertThat(
            Cli.query(
                database,
                "SELECT count(*) FROM holdfast.on_hold_tickets WHERE error_fingerprint ="
                    + " 'f-bulk-it'"))
        .isEqualTo("0");
    assertThat(state(other)).isEqualTo("on_hold");
  }

  @Test
  @DisplayName("a release of many is taken back, but for what has changed since; once")
  void undo() throws SQLException {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.add(Cli.held(database, "system_error", "f-undo-it"));
    }
    Cli.Result released = cli.run("release", "--fingerprint", "f-undo-it", "--json");
    String key = released.json().at("/release").stringValue();
    assertThat(cli.run("cancel", "" + ids.get(1), "--reason", "no more").code()).isZero();

    Cli.Result undone = cli.run("release", "undo", key, "--by", "bob");

    assertThat(undone.code()).isEqualTo(3);
    assertThat(undone.out().strip()).isEqualTo("taken back 2 of 3; refused #" + ids.get(1));
    assertThat(undone.err().strip())
        .isEqualTo("holdfast: #" + ids.get(1) + ": it is cancelled by now");
    assertThat(state(ids.getFirst())).isEqualTo("on_hold");
    assertThat(actor(ids.getLast())).isEqualTo("release_undone by bob");
    Cli.Result again = cli.run("release", "undo", key);
    assertThat(again.code()).isEqualTo(3);
    assertThat(again.err()).startsWith("holdfast: there is nothing to undo").hasLineCount(1);

    List<String> two = List.of("release", "" + ids.getFirst(), "" + ids.getLast());
    String told = cli.run(two.toArray(String[]::new)).out().strip();
    Cli.Result all =
        cli.run("release", "undo", told.substring(told.lastIndexOf(' ') + 1), "--json");
    assertThat(all.code()).as(all.toString()).isZero();
    assertThat(all.json().at("/taken_back")).hasSize(2);
  }

  @Test
  @DisplayName("release by category, and where nothing matches")
  void bulkCategory() throws SQLException {
    long id = Cli.held(database, "code_error", "f-category");
    assertThat(cli.run("release", "--category", "code_error", "--fingerprint", "f-category").code())
        .isZero();
    assertThat(state(id)).isEqualTo("ready");

    Cli.Result none = cli.run("release", "--fingerprint", "no-such-error");
    assertThat(none.code()).isEqualTo(3);
    assertThat(none.err()).contains("no held ticket matches");
  }

  @Test
  @DisplayName("8 characters of a fingerprint are enough, fewer are refused and release nothing")
  void shortFingerprint() throws SQLException {
    long id = Cli.held(database, "code_error", "0123456789abcdef0123456789abcdef");
    long byHand =
        Long.parseLong(
            Cli.query(
                database,
                "INSERT INTO holdfast.tickets (kind, state, hold_reason) VALUES ('manual',"
                    + " 'on_hold', 'held by ann') RETURNING id"));
    for (String fewer : List.of("", "0123456")) {
      Cli.Result refused = cli.run("release", "--fingerprint", fewer);
      assertThat(refused.code()).as("%s", refused).isEqualTo(2);
      assertThat(refused.err()).contains("a fingerprint needs 8 characters at least");
    }
    assertThat(state(byHand)).isEqualTo("on_hold");
    assertThat(cli.run("list", "--fingerprint", "01234567").out()).contains("" + id);
    assertThat(cli.run("release", "--fingerprint", "01234567").code()).isZero();
    assertThat(state(id)).isEqualTo("ready");
  }

  @Test
  @DisplayName("a ready ticket that no live worker takes says so")
  void nobodyTakesIt() throws SQLException {
    long id =
        Long.parseLong(
            Cli.query(
                database,
                "INSERT INTO holdfast.tickets (kind, queue) VALUES ('nobodys', 'ghosts') RETURNING"
                    + " id"));
    assertThat(cli.run("show", "" + id).out()).contains("no worker runs; start one");
    Cli.query(
        database,
        "INSERT INTO holdfast.workers (id, host, pid, version, kinds, concurrency, state) VALUES"
            + " ('w-other', 'h', 1, '1', '{others}', 1, 'running') RETURNING id");
    assertThat(cli.run("show", "" + id).out())
        .contains("no live worker takes kind nobodys of queue ghosts");
    Cli.query(
        database,
        "UPDATE holdfast.workers SET kinds = '{nobodys}' WHERE id = 'w-other' RETURNING id");
    assertThat(cli.run("show", "" + id).out()).doesNotContain("no live worker", "no worker");
    Cli.query(database, "DELETE FROM holdfast.workers WHERE id = 'w-other' RETURNING id");
  }

  @Test
  @DisplayName("a ready ticket of a paused queue says so, and how to resume it")
  void pausedQueue() throws SQLException {
    String plain = enqueue("plain", "pz");
    String keyed = enqueue("keyed", "pz", "--fairness-key", "acme");
    assertThat(cli.run("pause", "pz", "--by", "ann").out()).contains("paused the queue pz");
    String why = "the queue pz, paused by ann; resume it: holdfast resume pz";
    assertThat(cli.run("list", "--queue", "pz").lines().stream().filter(x -> x.endsWith(why)))
        .hasSize(2);
    for (String id : List.of(plain, keyed)) {
      assertThat(cli.run("show", id).out()).contains("for " + why);
      assertThat(cli.run("show", id, "--json").out()).contains("\"waits_for\":\"" + why + "\"");
    }
    assertThat(cli.run("resume", "pz").code()).isZero();
    assertThat(cli.run("list", "--queue", "pz").out())
        .contains("waiting for its turn")
        .doesNotContain("paused");
    assertThat(cli.run("show", plain).out()).contains("no worker runs").doesNotContain("paused by");
  }

  private String enqueue(String kind, String queue, String... more) {
    List<String> words = new ArrayList<>(List.of("enqueue", "--kind", kind, "--queue", queue));
    words.addAll(List.of(more));
    return cli.run(words.toArray(String[]::new)).out().strip();
  }

  @Test
  @DisplayName("a queue that never had a ticket cannot be paused, and is not made by it")
  void pausesNoGhost() throws SQLException {
    Cli.Result result = cli.run("pause", "no-such-queue");
    assertThat(result.code()).isEqualTo(3);
    assertThat(result.err()).contains("there is no queue \"no-such-queue\"");
    assertThat(
            Cli.query(
                database, "SELECT count(*) FROM holdfast.queues WHERE name = 'no-such-queue'"))
        .isEqualTo("0");
  }

  @Test
  @DisplayName("a ticket that is inserted as ended has a time of its end")
  void insertedEnded() throws SQLException {
    for (String ended : List.of("needs_review", "done", "cancelled")) {
      assertThat(
              Cli.query(
                  database,
                  "INSERT INTO holdfast.tickets (kind, state) VALUES ('old', '"
                      + ended
                      + "') RETURNING completed_at IS NOT NULL"))
          .isEqualTo("t");
    }
  }

  @Test
  @DisplayName("A58: hold and cancel, with reasons")
  void holdAndCancel() throws SQLException {
    long id = ready();
    assertThat(cli.run("hold", "" + id, "--reason", "wait").out().strip()).isEqualTo("held #" + id);
    assertThat(state(id)).isEqualTo("on_hold");
    assertThat(cli.run("cancel", "" + id, "--reason", "").code()).isEqualTo(2);
    assertThat(cli.run("cancel", "" + id, "--reason", "not wanted", "--by", "bob").code()).isZero();
    assertThat(state(id)).isEqualTo("cancelled");
    assertThat(actor(id)).isEqualTo("cancelled by bob");

    Cli.Result again = cli.run("cancel", "" + id, "--reason", "again");
    assertThat(again.code()).isEqualTo(3);
    assertThat(again.err()).contains("bob").hasLineCount(1);
    assertThat(again.out().strip()).isEmpty();
  }

  @Test
  @DisplayName("approve and reject; the feedback becomes guidance")
  void review() throws SQLException {
    long good = inReview();
    long bad = inReview();
    assertThat(cli.run("approve", "" + good).code()).isZero();
    Cli.Result wordless = cli.run("reject", "" + bad, "--feedback", "");
    assertThat(wordless.code()).as("%s", wordless).isEqualTo(2);
    assertThat(wordless.err()).contains("feedback must not be empty");
    assertThat(cli.run("reject", "" + bad, "--feedback", "no totals").code()).isZero();
    assertThat(state(good)).isEqualTo("done");
    assertThat(state(bad)).isEqualTo("ready");
    assertThat(
            Cli.query(
                database,
                "SELECT source || ': ' || guidance FROM holdfast.ticket_guidance WHERE ticket_id = "
                    + bad))
        .isEqualTo("reject: no totals");
    assertThat(cli.run("approve", "" + bad).code()).isEqualTo(3);
  }

  @Test
  @DisplayName("pause and resume a queue")
  void pause() throws SQLException {
    Cli.query(database, "INSERT INTO holdfast.queues (name) VALUES ('nightly') RETURNING name");
    assertThat(cli.run("pause", "nightly", "--by", "ann").out().strip())
        .isEqualTo("paused the queue nightly");
    assertThat(Cli.query(database, "SELECT paused_by FROM holdfast.queues WHERE name = 'nightly'"))
        .isEqualTo("ann");
    assertThat(cli.run("resume", "nightly").code()).isZero();
    assertThat(
            Cli.query(
                database, "SELECT paused_at IS NULL FROM holdfast.queues WHERE name = 'nightly'"))
        .isEqualTo("t");
    assertThat(cli.run("resume", "no-such-queue").code()).isEqualTo(3);
  }

  @Test
  @DisplayName("garbage in each argument is exit code 2 and one line")
  void garbage() {
    List<List<String>> lines =
        List.of(
            List.of("release"),
            List.of("release", "seventeen"),
            List.of("release", "0"),
            List.of("release", "-5"),
            List.of("release", "99999999999999999999"),
            List.of("release", "1", "--fingerprint", "f"),
            List.of("release", "--category", "sunny"),
            List.of("release", "1", "--guidance", "@/no/such/file"),
            List.of("release", "1", "--guidance", "nul \0"),
            List.of("release", "1", "--by", ""),
            List.of("hold", "1"),
            List.of("hold", "--reason", "x"),
            List.of("hold", "1", "--reason", " "),
            List.of("cancel", "1"),
            List.of("approve"),
            List.of("reject", "1"),
            List.of("pause"),
            List.of("pause", "a b; DROP TABLE"),
            List.of("pause", "a", "b"),
            List.of("resume", ""));
    for (List<String> line : lines) {
      Cli.Result result = cli.run(line.toArray(String[]::new));
      assertThat(result.code()).as("%s: %s", line, result.err()).isIn(2, 3);
      assertThat(result.err())
          .as("%s", line)
          .startsWith("holdfast: ")
          .hasLineCount(1)
          .doesNotContain("Exception");
    }
  }
}
