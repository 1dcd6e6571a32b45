package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
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
@EverySetup
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

  @AutoClose private Installation holdfast;
  private TicketRows rows;
  private HoldfastProcess worker;

  @BeforeAll
  void prepare(TestDatabase database, @TempDir Path directory) throws Exception {
    rows = new TicketRows(database.dataSource());
    holdfast = Installation.on(database, directory);
    addDesign("load-rows", FAILING);
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
    assertThat(worker.get("/").body())
        .containsPattern("<a href=\"/group[^>]*>" + TITLE + "</a>")
        .doesNotContain("exit code 1", "Traceback");
    assertThat(worker.get("/tickets?queue=errors").body()).contains(TITLE);
    assertThat(worker.get("/tickets/" + id).body())
        .contains(">1-3<", "3 times, last", "retry 1 of 2 in")
        .containsPattern("<pre class=\"error\"[^>]*>" + TITLE + "</pre>");
  }
}
