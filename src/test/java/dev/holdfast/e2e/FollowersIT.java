package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tickets that wait for each other, as their worker and their person see them. */
@Tag("slow")
@WithDatabase
@Timeout(200)
class FollowersIT {
  private static final String DESIGN =
      """
      kind: command
      review: none
      retry: {categories: {code_error: {max_retries: 0}, unknown: {max_retries: 0}}}
      command: [sh, -c, "test -e $1 || exit 3; echo 1", sh, %s]
      """;

  private final TicketRows rows;
  private final Path directory;
  @AutoClose private final Installation holdfast;

  FollowersIT(TestDatabase database, @TempDir Path directory) {
    this.rows = new TicketRows(database.dataSource());
    this.directory = directory;
    this.holdfast = Installation.on(database, directory);
  }

  private void design(String name, String needs) throws Exception {
    Files.writeString(directory.resolve("design.yaml"), DESIGN.formatted(needs));
    holdfast.ok("design", "put", name, "--file", "design.yaml");
  }

  @Test
  @DisplayName(
      "issue 23: a ticket that no worker started in time is on hold with the cause expired; a"
          + " worker that comes too late does not start it, and a release runs it; a file of"
          + " tickets with names is enqueued whole or not at all, and a program finds the results"
          + " of those before it in its document; so it is by HTTP and with ids; a chain of three"
          + " whose middle goes on hold goes on after its release, by another worker when the"
          + " first was killed")
  void followers() throws Exception {
    Path needed = directory.resolve("needed");
    design("plain", ".");
    design("needy", needed.toString());
    String first = holdfast.ok("enqueue", "--design", "plain");
    String middle = holdfast.ok("enqueue", "--design", "needy", "--after", first);
    String last = holdfast.ok("enqueue", "--design", "plain", "--after", first + "," + middle);
    String late = holdfast.ok("enqueue", "--design", "plain", "--expires", "1s");
    String inTime = holdfast.ok("enqueue", "--design", "plain", "--expires", "2h");
    assertThat(holdfast.ok("show", inTime)).containsPattern("expires +in (1h|2h) \\(20");
    await("its time is over")
        .until(
            () ->
                "t"
                    .equals(
                        rows.value(
                            "SELECT (expires_at < now())::text::char FROM"
                                + " holdfast.ticket_deadlines WHERE ticket_id = ?",
                            Long.valueOf(late))));

    HoldfastProcess worker = holdfast.start("worker", "--port", "0").awaitConsole();

    expired(worker, late, inTime);
    graph(worker);
    rows.awaitState(Long.parseLong(middle), "on_hold");
    assertThat(rows.of(Long.parseLong(first), "state")).isEqualTo("done");
    waits(worker, middle, last);
    worker.signal("KILL");
    worker.awaitExit(Duration.ofSeconds(20));
    Files.writeString(needed, "");
    holdfast.ok("release", middle, "--by", "ann");
    holdfast.worker();
    rows.awaitState(Long.parseLong(last), "done");
    assertThat(rows.of(Long.parseLong(last), "attempt_count")).isEqualTo("1");
  }

  private void expired(HoldfastProcess worker, String late, String inTime) throws Exception {
    rows.awaitState(Long.parseLong(inTime), "done");
    rows.awaitState(Long.parseLong(late), "on_hold");
    assertThat(rows.of(Long.parseLong(late), "attempt_count")).isEqualTo("0");
    assertThat(holdfast.ok("show", late))
        .contains("expired: no worker started it before ")
        .contains("release it to run it all the same");
    assertThat(worker.get("/api/v1/tickets/" + inTime).body()).contains("\"expires_at\":null");
    holdfast.ok("release", late, "--by", "ann");
    rows.awaitState(Long.parseLong(late), "done");
  }

  private void waits(HoldfastProcess worker, String middle, String last) throws Exception {
    assertThat(rows.of(Long.parseLong(last), "state")).isEqualTo("ready");
    assertThat(holdfast.ok("list", "--state", "ready"))
        .contains("waiting for #" + middle + ", on hold since ");
    String waits = "#" + middle + ", on hold since ";
    assertThat(holdfast.ok("show", last)).contains("until other tickets are done: " + waits);
    assertThat(holdfast.ok("show", last, "--json")).contains("\"waits_for\":\"" + waits);
    assertThat(worker.get("/api/v1/tickets/" + last).body()).contains("\"waits_for\":\"" + waits);
    assertThat(worker.get("/tickets/" + last).body())
        .contains("Waits until other tickets are done: " + waits)
        .doesNotContain("the next free worker takes it");
    assertThat(worker.get("/api/v1/tickets/" + middle).body()).contains("\"waits_for\":null");
  }

  private void graph(HoldfastProcess worker) throws Exception {
    Files.writeString(
        directory.resolve("fetch.yaml"),
        "{kind: command, review: none, command: [sh, -c, 'echo \"{\\\"n\\\": 41}\"']}");
    Files.writeString(
        directory.resolve("add.yaml"),
        "{kind: command, review: none, after: success, command: [sh, -c,"
            + " 'sed s/.*results/results/']}");
    holdfast.ok("design", "put", "fetch", "--file", "fetch.yaml");
    holdfast.ok("design", "put", "add", "--file", "add.yaml");
    Files.writeString(
        directory.resolve("graph.jsonl"),
        """
        {"name": "add", "design": "add", "after": ["fetch"]}
        {"name": "fetch", "design": "fetch"}
        """);
    String told = holdfast.ok("enqueue", "--file", "graph.jsonl");

    assertThat(told).matches("(?s)added 2 as batch [0-9]+\nadd: [0-9]+\nfetch: [0-9]+");
    long add = Long.parseLong(told.lines().toList().get(1).substring(5));
    long fetch = Long.parseLong(told.lines().toList().getLast().substring(7));
    rows.awaitState(add, "done");
    assertThat(rows.of(add, "result")).contains("results\\\":{\\\"fetch\\\":{\\\"n\\\":41}}");
    String byId = holdfast.ok("enqueue", "--design", "add", "--after", "mine=" + fetch);
    rows.awaitState(Long.parseLong(byId), "done");
    assertThat(rows.of(Long.parseLong(byId), "result")).contains("{\\\"mine\\\":{\\\"n\\\":41}}");
    Files.writeString(
        directory.resolve("more.jsonl"),
        "{\"design\": \"add\", \"after\": [{\"its\": %s}, %s]}\n".formatted(fetch, byId)
            + "{\"design\": \"fetch\", \"unique_key\": \"f\", \"unique_for\": \"open\"}\n"
                .repeat(2));
    assertThat(holdfast.ok("enqueue", "--file", "more.jsonl"))
        .matches("added 2 as batch [0-9]+; 1 had a unique_key that exists already");
    await("it is given the result by name")
        .until(
            () ->
                !rows.column(
                        "SELECT id FROM holdfast.tickets WHERE state = 'done' AND result::text LIKE"
                            + " '%its%41%'")
                    .isEmpty());
    assertThat(
            worker
                .post(
                    "/api/v1/graphs",
                    "{\"tickets\": [{\"name\": \"a\", \"design\": \"fetch\", \"after\": [\"b\"]},"
                        + " {\"name\": \"b\", \"design\": \"fetch\", \"after\": [\"a\"]}]}")
                .body())
        .contains("wait for each other in a circle: a after b after a");
    assertThat(
            worker
                .post(
                    "/api/v1/graphs",
                    "{\"tickets\": [{\"name\": \"a\", \"design\": \"fetch\"},"
                        + " {\"design\": \"add\", \"after\": [\"a\"], \"on_cancelled\": \"run\"}]}")
                .body())
        .containsPattern("\\{\"names\":\\{\"a\":[0-9]+},\"ids\":\\[[0-9]+,[0-9]+]}");
  }
}
