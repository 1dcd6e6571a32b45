package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workflows of all kinds of steps, as their workers and their people see them. */
@Tag("slow")
@WithDatabase
@Timeout(400)
@Order(1) // it waits for leases
class WorkflowIT {
  /** The example of the page is what runs here. */
  private static String workflowOfPage() throws IOException {
    String page = Files.readString(Path.of("docs/workflows.md"));
    int begin = page.indexOf("kind: workflow\n");
    return page.substring(begin, page.indexOf("```", begin));
  }

  private final TicketRows rows;
  private final Path directory;
  @AutoClose private final Installation holdfast;

  WorkflowIT(TestDatabase database, @TempDir Path directory) {
    this.rows = new TicketRows(database.dataSource());
    this.directory = directory;
    this.holdfast = Installation.on(database, directory);
  }

  private void put(String name, String design) throws Exception {
    Files.writeString(directory.resolve(name + ".yaml"), design);
    holdfast.ok("design", "put", name, "--file", name + ".yaml");
  }

  private void program(String name, String script, String more) throws Exception {
    Files.writeString(directory.resolve(name + ".sh"), script);
    put(
        name,
        "{kind: command, review: none, directory: %s, command: [sh, %s.sh]%s}"
            .formatted(directory, name, more));
  }

  private void programs(String slow) throws Exception {
    // Each says that it ran: what ran twice is twice in the file.
    String log = slow + "echo \"$HOLDFAST_TICKET_ID\" >> ran.txt; ";
    program("fetch", log + "echo '{\"items\": [{\"n\": 1}, {\"n\": 2}, {\"n\": 3}]}'", "");
    program(
        "summarise",
        log
            + "n=$(sed 's/.*\"n\":\\([0-9]*\\).*/\\1/'); echo \"{\\\"sum\\\": $n, \\\"enqueue\\\":"
            + " [{\\\"design\\\": \\\"extra\\\", \\\"payload\\\": {\\\"of\\\": $n}}]}\"",
        ", may_enqueue: [extra]");
    program("extra", log + "echo '{\"extra\": true}'", "");
    program("publish", log + "sed 's/.*\"payload\"://; s/,\"priority\".*//'", "");
    put("news", workflowOfPage());
  }

  private long workflow() throws Exception {
    return Long.parseLong(
        holdfast.ok("enqueue", "--design", "news", "--payload", "{\"url\": \"http://x\"}"));
  }

  private long step(long workflow, String step) {
    await("the step " + step + " begins")
        .until(() -> !rows.column(FIRST, workflow, step).isEmpty());
    return Long.parseLong(rows.value(FIRST, workflow, step));
  }

  private static final String FIRST =
      "SELECT first_ticket_id FROM holdfast.workflow_steps WHERE workflow_id = ? AND step = ? AND"
          + " first_ticket_id IS NOT NULL";

  @Test
  @DisplayName(
      "issue 23: a workflow whose worker is killed at each of its steps comes to the same end, and"
          + " each step is added once; a workflow of programs, a list, a person and a condition"
          + " runs to its end, and CLI, API and console show its steps; of its results a sample is"
          + " reviewed")
  void workflows() throws Exception {
    HoldfastProcess worker = killed();
    Files.delete(directory.resolve("ran.txt"));
    whole(worker);
  }

  /** Returns the worker that comes after all those that were killed. */
  private HoldfastProcess killed() throws Exception {
    programs("sleep 0.5; ");
    holdfast.with("HOLDFAST_WORKER_LEASE", "3s");
    holdfast.with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "1s");
    holdfast.with("HOLDFAST_WORKER_RESCUE_INTERVAL", "1s");
    holdfast.with("HOLDFAST_RETRY_CATEGORIES_SYSTEM_ERROR_BASE_DELAY", "0s");
    long id = workflow();
    for (String point :
        List.of(
            "step = 'fetch' AND in_progress > 0",
            "step = 'fetch' AND done = 1",
            "step = 'each' AND done > 0",
            "step = 'each' AND tickets > 4",
            "step = 'approve' AND on_hold = 1")) {
      killAt(id, point);
    }
    holdfast.ok("answer", "" + step(id, "approve"), "--json", "{\"ok\": true}");
    killAt(id, "step = 'publish' AND in_progress > 0");
    killAt(id, "step = 'publish' AND done = 1");

    HoldfastProcess last = holdfast.start("worker", "--port", "0").awaitConsole();

    rows.awaitState(id, "done");
    assertThat(
            rows.column(
                "SELECT d.name || CASE WHEN d.item < 0 THEN ' added' ELSE '' END || ': ' ||"
                    + " count(*) FROM holdfast.ticket_dependencies d JOIN holdfast.tickets t ON"
                    + " t.id = d.after_id AND t.state = 'done' WHERE d.ticket_id = ? GROUP BY"
                    + " d.name, d.item < 0 ORDER BY 1",
                id))
        .containsExactly("approve: 1", "each added: 3", "each: 3", "fetch: 1", "publish: 1");
    assertThat(rows.value("SELECT result->'each' FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo("[{\"sum\": 1}, {\"sum\": 2}, {\"sum\": 3}]");
    assertThat(rows.value("SELECT count(*) FROM holdfast.tickets WHERE kind <> 'workflow'"))
        .isEqualTo("9");
    return last;
  }

  private void killAt(long id, String point) throws Exception {
    HoldfastProcess worker = holdfast.start("worker", "--port", "0", "--no-console");
    await(point)
        .pollInterval(Duration.ofMillis(50))
        .until(
            () ->
                !rows.column(
                        "SELECT 1 FROM holdfast.workflow_steps WHERE workflow_id = ? AND " + point,
                        id)
                    .isEmpty());
    worker.signal("KILL");
    worker.awaitExit(Duration.ofSeconds(20));
  }

  private void whole(HoldfastProcess worker) throws Exception {
    programs("");
    long id = workflow();
    long approve = step(id, "approve");
    rows.awaitState(approve, "on_hold");

    assertThat(holdfast.ok("show", "" + id))
        .contains("until other tickets are done: #" + approve + ", on hold since ");
    assertThat(holdfast.ok("show", "" + id, "--tree"))
        .contains("├─ each after fetch: done, 6 of 6 done")
        .contains("approve after each: on hold (#" + approve + ")")
        .contains("publish after approve: waiting");
    assertThat(holdfast.ok("show", "" + id, "--tree", "--json"))
        .contains("\"step\":\"approve\",\"state\":\"on_hold\"");
    assertThat(worker.get("/api/v1/tickets/" + id).body())
        .contains("\"step\":\"approve\",\"state\":\"on_hold\"");
    assertThat(worker.get("/api/v1/tickets/" + approve).body()).contains("\"parent_id\":" + id);
    assertThat(worker.get("/tickets/" + id).body())
        .contains("<svg class=\"steps\"")
        .contains("class=\"step on_hold\"")
        .contains("href=\"/tickets/" + approve + "\"");
    assertThat(holdfast.ok("show", "" + approve)).contains("Publish 3 summaries?");
    assertThat(holdfast.ask("answer", "" + approve, "--json", "{\"ok\": 1}").stderr())
        .contains("ok must be of type boolean, not 1")
        .hasLineCount(1);

    holdfast.ok("answer", "" + approve, "--json", "{\"ok\": true}");

    rows.awaitState(id, "done");
    assertThat(rows.of(id, "result"))
        .contains("\"each\": [{\"sum\": 1}, {\"sum\": 2}, {\"sum\": 3}]")
        .contains("\"approve\": {\"ok\": true}")
        .doesNotContain("regret");
    assertThat(holdfast.ok("show", "" + id, "--tree")).contains("regret after approve: skipped");
    assertThat(Files.readAllLines(directory.resolve("ran.txt"))).doesNotHaveDuplicates().hasSize(8);

    String again = holdfast.ok("replay", "" + id, "--from", "publish", "--by", "ann");
    rows.awaitState(Long.parseLong(again), "done");
    assertThat(Files.readAllLines(directory.resolve("ran.txt"))).hasSize(9);
    assertThat(worker.post("/api/v1/tickets/" + again + "/replay", "{\"from\": \"nope\"}").body())
        .contains("has no step");
    put(
        "fragile",
        "{kind: workflow, steps: {ask: {kind: human, on_cancelled: cancel}, other: {kind:"
            + " human}}}");
    long fragile = Long.parseLong(holdfast.ok("enqueue", "--design", "fragile"));
    rows.awaitState(step(fragile, "other"), "on_hold");
    rows.awaitState(step(fragile, "ask"), "on_hold");
    holdfast.ok("cancel", "" + step(fragile, "ask"), "--reason", "nobody knows");
    assertThat(holdfast.ok("show", "" + fragile, "--tree"))
        .contains("#" + fragile + ": cancelled", "ask: cancelled", "other: cancelled");
    sampled("0 %", "done", "approved");
    sampled("100 %", "needs_review");
  }

  private void sampled(String share, String state, String... approvals) throws Exception {
    put(
        "sampled",
        "{kind: workflow, review: {sample: %s}, steps: {a: {design: extra}}}".formatted(share));
    long id = Long.parseLong(holdfast.ok("enqueue", "--design", "sampled"));
    rows.awaitState(id, state);
    assertThat(
            rows.column(
                "SELECT action FROM holdfast.ticket_activity WHERE ticket_id = ? AND actor ="
                    + " 'rule'",
                id))
        .containsExactly(approvals);
  }
}
