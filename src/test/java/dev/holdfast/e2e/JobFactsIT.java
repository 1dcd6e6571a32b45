package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.Review;
import dev.holdfast.worker.ReviewRule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** What people see of a job that a worker ran, in each place where they look. */
@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobFactsIT {
  private static final String TITLE = "ValueError: cannot parse row 177";
  private static final String FAILING =
      """
      cat >&2 <<'END'
      reading rows.csv
      Traceback (most recent call last):
        File "/srv/load.py", line 31, in <module>
          main()
      ValueError: cannot parse row 177
      END
      exit 1
      """;

  private static final String SECRET = "sk-live-Zx81Qp77";

  /** Prints in two halves a secret of the worker, which it was told, and much more than is kept. */
  private static final String PRINTING =
      """
      printf 'working with sk-live-'
      printf 'warning: \\033[31mslow\\033[0m <b>\\n' >&2
      while [ ! -e '$GO' ] && [ -e "$PWD" ]; do sleep 0.2; done
      printf 'Zx81Qp77 now\\n'
      head -c 300000 /dev/zero | tr '\\0' '\\377' >&2
      echo 'bye' >&2
      echo 'all is done'
      """;

  @AutoClose private Installation holdfast;
  private TicketRows rows;
  private HoldfastProcess worker;
  private Path go;

  @BeforeAll
  void prepare(TestDatabase database, @TempDir Path directory) throws Exception {
    rows = new TicketRows(database.dataSource());
    holdfast =
        Installation.on(database, directory).with("HOLDFAST_PROVIDERS_OPENAI_API_KEY", SECRET);
    addDesign("load-rows", FAILING);
    addDesign("print", PRINTING.replace("$GO", directory.resolve("go").toString()));
    go = directory.resolve("go");
    worker = holdfast.start("worker", "--port", "0").awaitConsole();
  }

  private void addDesign(String name, String script) {
    Map<String, Object> retry =
        Map.of(
            "same_error_limit",
            0,
            "categories",
            Map.of("code_error", Map.of("max_retries", 2, "base_delay", "10ms")));
    rows.column(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, 'command',"
            + " ?::jsonb)",
        name,
        JsonMapper.shared()
            .writeValueAsString(
                Map.of(
                    "kind",
                    "command",
                    "command",
                    List.of("/bin/sh", "-c", script),
                    "review",
                    "none",
                    "retry",
                    retry)));
  }

  @Test
  @DisplayName(
      "22.4: an error is called by its root cause in lists, stats, show, watch, SQL, API and"
          + " console, and equal attempts are one line")
  void rootCause() throws Exception {
    String id = Long.toString(rows.enqueue("load-rows", "errors"));
    try (HoldfastProcess watch = holdfast.start("watch", id)) {
      watch.awaitOutput(
          Pattern.compile(
              "failed: code_error \\(\\S+\\): ValueError: cannot parse row 177; on_hold: Max"
                  + " retries exceeded: code_error"));
      assertThat(watch.stdout()).doesNotContain("{\"", "exit code 1").contains("retry 1 of 2 in");
    }

    assertThat(holdfast.ok("list", "--queue", "errors"))
        .contains("Max retries exceeded: code_error: " + TITLE);
    assertThat(holdfast.ok("stats")).contains(TITLE).doesNotContain("exit code 1", "Traceback");
    assertThat(holdfast.ok("show", id))
        .containsPattern("(?m)^error:\n  " + TITLE + "$")
        .containsPattern("(?m)^1-3 +failed +3 times, last \\d+s ago .* " + TITLE + "$")
        .containsPattern("the whole error:\n  exit code 1 from sh\n")
        .contains("failed: code_error");
    for (String place :
        List.of(
            "SELECT error_title FROM holdfast.tickets WHERE id = ?",
            "SELECT error_title FROM holdfast.on_hold_tickets WHERE id = ?",
            "SELECT error_title FROM holdfast.error_groups WHERE ? = ANY (sample_ids)",
            "SELECT DISTINCT details->>'title' FROM holdfast.ticket_timeline WHERE ticket_id = ?"
                + " AND event IN ('failed', 'retry_decision')")) {
      assertThat(rows.column(place, Long.valueOf(id))).as(place).containsExactly(TITLE);
    }
    assertThat(worker.get("/api/v1/tickets/" + id).body())
        .contains("\"error_title\":\"" + TITLE + "\"");
    assertThat(worker.get("/inbox").body())
        .containsPattern("<a href=\"/group[^>]*>" + TITLE + "</a>")
        .doesNotContain("exit code 1", "Traceback");
    assertThat(worker.get("/tickets?queue=errors").body()).contains(TITLE);
    assertThat(worker.get("/tickets/" + id).body())
        .contains(">1-3<", "3 times, last", "retry 1 of 2 in")
        .containsPattern("<pre class=\"error\"[^>]*>" + TITLE + "</pre>");
  }

  @Test
  @DisplayName(
      "22.6: what a job prints is seen while it runs and afterwards in watch, logs, API and"
          + " console, without secrets; its text is the result")
  void output() throws Exception {
    String id = Long.toString(rows.enqueue("print", "output"));
    try (HoldfastProcess watch = holdfast.start("watch", id);
        HoldfastProcess logs = holdfast.start("logs", id, "-f")) {
      watch.awaitOutput(Pattern.compile("#" + id + " stderr: warning: slow <b>"));
      logs.awaitOutput(Pattern.compile("working with "));
      TicketRows.await("the page shows it")
          .untilAsserted(
              () ->
                  assertThat(worker.get("/tickets/" + id).body())
                      .contains("warning: slow &lt;b&gt;", "working with ", "data-poll=\"1000\""));
      assertThat(worker.get("/api/v1/tickets/" + id + "/attempts/1/output").body())
          .contains("\"running\":true", "working with ");
      Files.createFile(go);
      watch.awaitOutput(Pattern.compile("stdout: working with \\[redacted:[^]]+] now"));
      Outcome followed = logs.awaitOutcome();
      assertThat(followed.exit()).isZero();
      assertThat(followed.stdout())
          .matches("working with \\[redacted:[^]]+] now\\Rall is done\\R")
          .doesNotContain("Zx81");
      assertThat(followed.stderr()).startsWith("warning: slow <b>").contains("bye");
    }
    rows.awaitState(Long.parseLong(id), "done");
    assertThat(rows.of(Long.parseLong(id), "result->>'text'"))
        .matches("working with \\[redacted:[^]]+] now\\nall is done");

    Outcome printed = holdfast.ask("logs", id, "--attempt", "1");
    assertThat(printed.stdout()).contains("all is done").doesNotContain("Zx81");
    assertThat(printed.stderr())
        .contains("the end of 3000")
        .endsWith("bye\n")
        .hasSizeLessThan(70_000);
    assertThat(holdfast.ok("logs", id, "--json")).contains("\"cut\":true", "\"running\":false");
    assertThat(worker.get("/tickets/" + id).body())
        .contains("all is done", "the end of 300,0")
        .doesNotContain("data-poll");
    assertThat(
            rows.value(
                "SELECT sum(octet_length(text)) < 300000 FROM holdfast.attempt_output WHERE"
                    + " ticket_id = ?",
                Long.valueOf(id)))
        .isEqualTo("t");
  }

  @Test
  @DisplayName(
      "22.7: of a design with a sample a person reviews those tickets that its rule names; the"
          + " others are done, and their timeline says that the rule approved them")
  void sample() throws Exception {
    Path file = holdfast.directory().resolve("sampled.yaml");
    Files.writeString(file, "{kind: command, command: ['true'], review: {sample: 150 %}}");
    assertThat(holdfast.ask("design", "put", "sampled", "--file", file.toString()).stderr())
        .contains("review")
        .contains("no share: write 0 to 100 and a %");
    Files.writeString(file, "{kind: command, command: ['true'], review: {sample: 40 %}}");
    holdfast.ok("design", "put", "sampled", "--file", file.toString());
    List<String> ids =
        rows.column(
            "SELECT holdfast.enqueue_ticket(design => 'sampled', queue => 'default') FROM"
                + " generate_series(1, 25)");
    ReviewRule rule = new ReviewRule(Review.RULE, 0.4);
    for (String each : ids) {
      long id = Long.parseLong(each);
      boolean reviewed = rule.of(id) == Review.HUMAN;
      rows.awaitState(id, reviewed ? "needs_review" : "done");
      assertThat(
              rows.column(
                  "SELECT actor || ' ' || action || ' ' || channel FROM holdfast.ticket_activity"
                      + " WHERE ticket_id = ? AND action = 'approved'",
                  id))
          .isEqualTo(reviewed ? List.of() : List.of("rule approved rule"));
    }
    assertThat(ids.stream().filter(id -> rule.of(Long.parseLong(id)) == Review.HUMAN))
        .hasSizeBetween(1, 24);
  }

  @Test
  @DisplayName("22.6: logs says what is wrong with what it is asked for, and what to do")
  void askedWrongly() throws Exception {
    String waiting = rows.value("SELECT holdfast.enqueue_ticket(kind => 'nobody')");
    assertThat(holdfast.ask("logs", waiting).stderr())
        .contains("has not run yet; holdfast logs -f waits for it");
    for (String line :
        List.of("logs 999999", "logs " + waiting + " --attempt 7", "logs " + waiting)) {
      Outcome outcome = holdfast.ask(line.split(" "));
      assertThat(outcome.exit()).as(line).isEqualTo(3);
      assertThat(outcome.stderr()).startsWith("holdfast: ").hasLineCount(1);
    }
    for (String line :
        List.of("logs", "logs x", "logs 1 --attempt 0", "logs 1 --attempt x", "logs 1 -f --json")) {
      Outcome outcome = holdfast.ask(line.split(" "));
      assertThat(outcome.exit()).as(line).isEqualTo(2);
      assertThat(outcome.stderr()).startsWith("holdfast: ").hasLineCount(1);
    }
    for (String attempt : List.of("0", "-1", "x", "99999999999", "1.5")) {
      assertThat(
              worker
                  .get("/api/v1/tickets/" + waiting + "/attempts/" + attempt + "/output")
                  .statusCode())
          .isEqualTo(400);
    }
    assertThat(worker.get("/api/v1/tickets/" + waiting + "/attempts/3/output").statusCode())
        .isEqualTo(404);
    assertThat(worker.get("/tickets/" + waiting + "?attempt=x%00").statusCode()).isEqualTo(200);
  }

  @Test
  @DisplayName(
      "22.5: a ticket's design and version are seen and filtered by in CLI, API and console")
  void design() throws Exception {
    rows.column(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('seen', 1,"
            + " 'nobody', '{}'), ('seen', 2, 'nobody', '{}')");
    String id = Long.toString(rows.enqueue("seen", "designs"));
    assertThat(holdfast.ok("list", "--design", "seen"))
        .containsPattern("(?m)^" + id + " +ready +designs +nobody +seen v2 ");
    assertThat(holdfast.ask("list", "--design", "'; DROP TABLE x").stderr())
        .isEqualTo("no such tickets\n");
    assertThat(holdfast.ask("list", "--design", "seen", "--ready").exit()).isEqualTo(2);
    assertThat(holdfast.ok("show", id)).containsPattern("(?m)^  design +seen, version 2$");
    assertThat(worker.get("/api/v1/tickets?design=seen").body())
        .contains("\"id\":" + id, "\"design\":\"seen\",\"design_version\":2");
    for (String state : List.of("on_hold", "in_progress", "ready")) {
      assertThat(worker.get("/api/v1/tickets?design=seem&state=" + state).body())
          .contains("\"tickets\":[]");
    }
    assertThat(worker.get("/tickets?queue=designs").body()).contains(">seen v2</a>");
    assertThat(worker.get("/tickets/" + id).body())
        .contains("/design?name=seen&amp;version=2", "version 2");
    assertThat(holdfast.ok("stats")).containsPattern("(?m)^seen +v2 +1 +0 +0 *$");
    assertThat(worker.get("/api/v1/stats").body())
        .contains(
            "{\"name\":\"seen\",\"kind\":\"nobody\",\"version\":2,\"versions\":2,\"tickets\":1");
    assertThat(worker.get("/designs").body())
        .containsPattern(
            ">seen</a>.*Kind\">nobody<.*Version\" class=\"num\">2<.*Versions\""
                + " class=\"num\">2<.*Tickets\" class=\"num\"><a[^>]*>1<.*Succeeded\""
                + " class=\"num\"><");
    assertThat(worker.get("/design?name=seen&version=2").body()).contains("version 2, nobody");
    rows.column("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", Long.valueOf(id));
    assertThat(
            rows.column(
                "SELECT design FROM holdfast.on_hold_tickets WHERE id = ?", Long.valueOf(id)))
        .containsExactly("seen");
  }
}
