package dev.holdfast.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.batch.NewRelease;
import dev.holdfast.batch.Release;
import dev.holdfast.batch.ReleaseDesk;
import dev.holdfast.postgres.batch.PostgresReleaseDesk;
import dev.holdfast.postgres.engine.PostgresBatchKeeper;
import dev.holdfast.postgres.engine.PostgresTicketPruner;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.Retention;
import dev.holdfast.queue.TicketDesk.Conversation;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@DisplayName("Workflows, releases in steps and retention together")
class ComposedFlowsIT {
  private final TicketDatabase database;
  @AutoClose private final WorkflowBench bench;
  private final String design;
  private final ReleaseDesk releases;
  private final PostgresBatchKeeper keeper;

  ComposedFlowsIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.bench = new WorkflowBench(this.database);
    this.design = bench.design("");
    this.releases = new PostgresReleaseDesk(database.dataSource(), "holdfast");
    this.keeper = new PostgresBatchKeeper(database.dataSource(), "holdfast");
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private String step(String name, String more) {
    return "\"%s\": {\"design\": \"%s\"%s}"
        .formatted(name, design, more.isEmpty() ? "" : ", " + more);
  }

  private Release release(List<Long> ids) {
    return releases.start(
        new NewRelease(
            new NewRelease.Which(ids, null, null, null),
            1,
            NewRelease.ramp("1,all"),
            null,
            Retries.RESET,
            Conversation.RESUME),
        "ann");
  }

  private String advance(Release release) {
    database.run("UPDATE holdfast.releases SET look_at = now() WHERE ended_at IS NULL");
    while (keeper.advance().isZero()) {
      // There is more to do.
    }
    return releases.find(release.id()).orElseThrow().progress();
  }

  private long enqueue(Long... after) {
    return bench.inbox.enqueue(NewTicket.ofDesign(design).withAfter(List.of(after)));
  }

  @Test
  @DisplayName(
      "a release in steps takes those first that others wait for, whichever was held first")
  void waitedForFirst() {
    long first = enqueue();
    long second = enqueue(first);
    long third = enqueue(second);
    for (long each : List.of(third, second, first)) {
      bench.desk.hold(each, "hal", "look");
    }
    Release release = release(List.of(first, second, third));
    bench.finish(bench.claimOne(bench.job), "1");
    assertThat(bench.state(first)).isEqualTo("done");
    advance(release);
    bench.finish(bench.claimOne(bench.job), "2");
    advance(release);
    bench.finish(bench.claimOne(bench.job), "3");
    assertThat(advance(release)).startsWith("completed: released 3 of 3, 3 came through");
  }

  @Test
  @DisplayName("items behind the breadth of their step say so, and are released after the others")
  void itemsInTurn() {
    long id = bench.workflow(step("each", "\"for_each\": \"[1, 2, 3]\", \"breadth\": 1"), "{}");
    bench.advance();
    List<Long> items =
        database
            .column("SELECT id FROM holdfast.tickets WHERE parent_id = ? ORDER BY id", id)
            .stream()
            .map(Long::valueOf)
            .toList();
    assertThat(
            database.column(
                "SELECT ticket_id || ' ' || kind || ' ' || waits_for FROM holdfast.waiting_tickets"
                    + " WHERE ticket_id IN (SELECT id FROM holdfast.tickets WHERE parent_id = ?)"
                    + " ORDER BY 1",
                id))
        .containsExactly(
            items.get(1) + " turn its turn in the step each of #" + id,
            items.get(2) + " turn its turn in the step each of #" + id);
    for (long each : List.of(items.get(2), items.get(1), items.get(0))) {
      bench.desk.hold(each, "hal", "look");
    }
    Release release = release(items);
    for (int i = 1; i <= 3; i++) {
      bench.finish(bench.claimOne(bench.job), "" + i);
      advance(release);
    }
    bench.advance();
    assertThat(bench.result(id)).isEqualTo("{\"each\": [1, 2, 3]}");
    assertThat(advance(release)).startsWith("completed: released 3 of 3");
  }

  @Test
  @DisplayName("a workflow that has ended keeps its steps' results as long as it is kept itself")
  void replayAfterRetention() {
    long id =
        bench.workflow(
            step("a", "")
                + ","
                + step("b", "\"after\": [\"a\"], \"payload\": {\"a\": \"${results.a}\"}"),
            "{}");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "7");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "8");
    bench.advance();
    long a = bench.ticketOf(id, "a");
    database.run(
        "UPDATE holdfast.ticket_base SET completed_at = now() - interval '3 days' WHERE id = ?", a);
    PostgresTicketPruner pruner = new PostgresTicketPruner(bench.pool, "holdfast");
    Retention retention = new Retention(Duration.ofDays(2), Duration.ofDays(2), Duration.ZERO);
    pruner.prune(retention, 1_000);
    long again = database.number("SELECT holdfast.replay_ticket(?, 'ann', 'b')", id);
    bench.advance();
    var claimed = bench.claimOne(bench.job);
    assertThat(claimed.ticket().payload()).isEqualTo("{\"a\": 7}");
    bench.finish(claimed, "9");
    bench.advance();
    assertThat(bench.result(again)).isEqualTo("{\"a\": 7, \"b\": 9}");

    database.run(
        "UPDATE holdfast.ticket_base SET completed_at = now() - interval '3 days' WHERE kind IN"
            + " ('workflow', ?)",
        bench.job);
    pruner.prune(retention, 1_000);
    pruner.prune(retention, 1_000);
    assertThat(
            database.column(
                "SELECT id FROM holdfast.ticket_base WHERE kind = ? OR id IN (?, ?)",
                bench.job,
                id,
                again))
        .isEmpty();
  }

  @Test
  @DisplayName("a workflow that was approved late, or is a step itself, keeps its steps, too")
  void stepsOfKeptWorkflows() {
    String within = bench.workflowDesign(step("deep", ""));
    long whole = bench.workflow("\"in\": {\"design\": \"%s\"}".formatted(within), "{}");
    long late = bench.workflow(step("a", ""), "{}");
    for (int level = 1; level <= 3; level++) {
      bench.advance();
      bench.claim(bench.job).forEach(each -> bench.finish(each, "7"));
    }
    assertThat(bench.result(whole)).isEqualTo("{\"in\": {\"deep\": 7}}");
    database.run(
        "UPDATE holdfast.ticket_base SET completed_at = now() - interval '3 days' WHERE id <> ?",
        whole);
    database.run(
        "INSERT INTO holdfast.ticket_activity (ticket_id, action, actor) VALUES (?, 'approved',"
            + " 'ann')",
        late);
    PostgresTicketPruner pruner = new PostgresTicketPruner(bench.pool, "holdfast");
    Retention retention = new Retention(Duration.ofDays(2), Duration.ofDays(2), Duration.ZERO);

    pruner.prune(retention, 1_000);

    assertThat(bench.steps(late)).containsEntry("a", "done");
    assertThat(bench.steps(bench.ticketOf(whole, "in"))).containsEntry("deep", "done");
  }
}
