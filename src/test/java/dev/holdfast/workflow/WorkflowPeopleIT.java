package dev.holdfast.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cli.Cli;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.Review;
import dev.holdfast.ticket.TicketState;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@EverySetup
@DisplayName("A workflow that people change")
class WorkflowPeopleIT {
  private final TicketDatabase database;
  private final Cli cli;
  @AutoClose private final WorkflowBench bench;

  WorkflowPeopleIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.cli = Cli.on(database);
    this.bench = new WorkflowBench(this.database);
  }

  @Test
  @DisplayName(
      "is held when a step is cancelled; released, it goes on without it while other steps are"
          + " still open")
  void stepCancelled() {
    long id =
        bench.workflow(
            bench.step("a", "") + "," + bench.step("c", "") + "," + bench.after("b", "a"), "{}");
    bench.advance();
    long a = bench.ticketOf(id, "a");
    ClaimedTicket c = bench.of(bench.claim(bench.job), id, "c");
    bench.desk.cancel(a, "carl", null);
    assertThat(bench.held(id)).startsWith("dependency_cancelled: #" + a);
    assertThat(bench.claim("workflow")).isEmpty();
    bench.release(id);
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "2");
    bench.finish(c, "3");
    bench.advance();
    assertThat(bench.result(id)).isEqualTo("{\"a\": null, \"b\": 2, \"c\": 3}");
  }

  @Test
  @DisplayName("that is a step of itself is within 19 others at most, and is cancelled as a whole")
  void stepOfItself() {
    String name = bench.workflowDesign("");
    version(name, 2, "\"a\": {\"design\": \"%s\"}".formatted(name));
    long id = bench.inbox.enqueue(NewTicket.ofDesign(name).withTitle("wf"));
    for (int level = 1; level < 20; level++) {
      bench.finish(bench.decide(bench.claimOne("workflow")));
    }

    ClaimedTicket last = bench.claimOne("workflow");

    assertThatThrownBy(() -> bench.finish(bench.decide(last)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("would be within 20 others")
        .hasMessageContaining("needs a condition (when) that ends it");
    bench.desk.cancel(id, "carl", null);
    assertThat(bench.state(last.id())).isEqualTo("cancelled");
  }

  @Test
  @DisplayName("is taken away from its worker when a step is cancelled while it is being worked")
  void stepCancelledMeanwhile() {
    long id =
        bench.workflow(
            bench.step("a", "") + "," + bench.step("c", "") + "," + bench.after("b", "a"), "{}");
    bench.advance();
    bench.finish(bench.of(bench.claim(bench.job), id, "c"), "3");
    Finish late = bench.decide(bench.claimOne("workflow"));
    bench.desk.cancel(bench.ticketOf(id, "a"), "carl", null);
    bench.release(id);
    assertThat(bench.finish(late)).isEqualTo(new FinishResult.Stale(id));
    assertThat(
            database.column(
                "SELECT outcome FROM holdfast.ticket_attempts WHERE ticket_id = ? ORDER BY attempt",
                id))
        .containsExactly("advanced", "revoked");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "2");
    bench.advance();
    assertThat(bench.result(id)).isEqualTo("{\"a\": null, \"b\": 2, \"c\": 3}");
  }

  @Test
  @DisplayName("is cancelled with its open steps, and released with those on hold")
  void asAWhole() {
    long id =
        bench.workflow(
            bench.step("a", "") + "," + bench.step("b", "\"for_each\": \"[1, 2]\", \"breadth\": 1"),
            "{}");
    bench.advance();
    long a = bench.ticketOf(id, "a");
    bench.desk.hold(a, "hal", "wait");
    bench.release(id);
    assertThat(bench.state(a)).isEqualTo("ready");
    assertThat(bench.state(id)).isEqualTo("ready");
    assertThatThrownBy(() -> bench.release(id))
        .hasStackTraceContaining("cannot release ticket " + id);
    List<ClaimedTicket> claimed = bench.claim(bench.job);
    assertThat(claimed).hasSize(2);
    bench.desk.cancel(id, "carl", null);
    assertThat(
            database.column("SELECT DISTINCT state FROM holdfast.tickets WHERE parent_id = ?", id))
        .containsExactly("cancelled");
    assertThat(
            bench.finish(
                new Finish.Succeeded(a, claimed.getFirst().lease().no(), "1", Review.NONE, null)))
        .isEqualTo(new FinishResult.Stale(a));
    bench.advance();
    assertThat(bench.claim(bench.job)).isEmpty();
    assertThat(bench.state(id)).isEqualTo("cancelled");
  }

  @Test
  @DisplayName("is held with those of its steps that wait; what runs is left to run")
  void heldAsAWhole() {
    long id =
        bench.workflow(
            bench.step("a", "") + "," + bench.step("b", "\"for_each\": \"[1, 2]\", \"breadth\": 1"),
            "{}");
    bench.advance();
    List<ClaimedTicket> claimed = bench.claim(bench.job);
    ClaimedTicket running = bench.of(claimed, id, "a");
    ClaimedTicket other =
        claimed.stream().filter(each -> each.id() != running.id()).findFirst().orElseThrow();
    bench.desk.hold(other.id(), "hal", "not this one");
    bench.release(other.id());

    bench.desk.hold(id, "hal", "wrong prices");

    assertThat(bench.state(id)).isEqualTo("on_hold");
    assertThat(
            database.column(
                "SELECT step || ' ' || state || ' ' || on_hold FROM holdfast.workflow_steps WHERE"
                    + " workflow_id = ? ORDER BY step",
                id))
        .containsExactly("a in_progress 0", "b on_hold 2");
    assertThat(bench.held(other.id()))
        .isEqualTo("its workflow #" + id + " is on hold: wrong prices");
    assertThat(bench.claim(bench.job)).isEmpty();
    assertThat(
            database.value(
                "SELECT details->>'steps' FROM holdfast.ticket_activity WHERE ticket_id = ? AND"
                    + " action = 'held'",
                id))
        .isEqualTo("2");
    bench.finish(running, "1");
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("on_hold");
    bench.release(id);
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "2");
    bench.finish(bench.claimOne(bench.job), "3");
    bench.advance();
    assertThat(bench.result(id)).isEqualTo("{\"a\": 1, \"b\": [2, 3]}");
    database.assertNoTicketIsLost();
  }

  /** A workflow with three steps, which are the next ids, begun. */
  private long withThreeSteps() {
    long id = bench.workflow(bench.step("each", "\"for_each\": \"[1, 2, 3]\""), "{}");
    bench.advance();
    return id;
  }

  private static String[] withSteps(String command, long id, long step, String... more) {
    return Stream.concat(
            Stream.of(command, "" + id, "" + step, "" + (step + 1), "" + (step + 2)),
            Stream.of(more))
        .toArray(String[]::new);
  }

  private List<String> actions(long id) {
    return database.column(
        "SELECT action FROM holdfast.ticket_activity WHERE ticket_id = ? AND action <> 'enqueued'"
            + " ORDER BY id",
        id);
  }

  @Test
  @DisplayName("and its steps are held, released and cancelled by one order, each ticket once")
  void oneOrder() {
    long id = withThreeSteps();
    long step = bench.ticketOf(id, "each");

    assertThat(cli.run(withSteps("hold", id, step, "--reason", "x")))
        .extracting(Cli.Result::code, Cli.Result::err)
        .containsExactly(0, "");
    Cli.Result released = cli.run(withSteps("release", id, step, "--guidance", "mended"));
    assertThat(released.out()).startsWith("released all 4: ");
    assertThat(actions(step + 1)).containsExactly("held", "released");
    assertThat(
            database.number(
                "SELECT guidance_count FROM holdfast.ticket_base WHERE id = ?", step + 1))
        .isEqualTo(1);
    Cli.Result again = cli.run(withSteps("release", id, step));
    assertThat(again.code()).isEqualTo(3);
    assertThat(again.out()).startsWith("released 0 of 4; refused ");
    assertThat(cli.run(withSteps("cancel", id, step, "--reason", "x")).code()).isZero();
    assertThat(cli.run(withSteps("cancel", id, step, "--reason", "x")).out())
        .startsWith("cancelled 0 of 4; refused ");
    assertThat(actions(step + 1)).containsExactly("held", "released", "cancelled");
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("is released with a step that fails meanwhile, and the order does not work it twice")
  void failedMeanwhile() {
    long id = withThreeSteps();
    long step = bench.ticketOf(id, "each");
    bench.desk.hold(step, "hal", "wait");
    TicketDesk order = bench.desk.releasingAs(UUID.randomUUID().toString());

    order.release(id, "rita", "mended", TicketDesk.Retries.RESET);
    bench.claim(bench.job);
    bench.desk.hold(step, "hal", "failed again");

    assertThat(order.release(step, "rita", "mended", TicketDesk.Retries.RESET))
        .isEqualTo(TicketState.ON_HOLD);
    assertThat(actions(step)).containsExactly("held", "released", "held");
    bench.release(step);
    assertThat(bench.state(step)).isEqualTo("ready");
  }

  @Test
  @DisplayName("says how its release is taken back where steps went with it")
  void undoWithSteps() {
    long id = withThreeSteps();
    assertThat(cli.run("hold", "" + id, "--reason", "x").code()).isZero();

    String told = cli.run("release", "" + id).out().strip();

    assertThat(told.lines()).hasSize(2).first().isEqualTo("released #" + id);
    String key = told.substring(told.lastIndexOf(' ') + 1);
    assertThat(cli.run("release", "undo", key).out()).startsWith("taken back all 4: ");
    assertThat(bench.state(bench.ticketOf(id, "each"))).isEqualTo("on_hold");
  }

  @Test
  @DisplayName(
      "that was not on hold itself takes back the release of its steps, and is refused then")
  void unreleaseOfSteps() {
    long id = withThreeSteps();
    long step = bench.ticketOf(id, "each");
    for (long each = step; each < step + 3; each++) {
      bench.desk.hold(each, "hal", "wait");
    }
    bench.release(step + 2);
    bench.release(id);
    assertThat(bench.state(step)).isEqualTo("ready");

    assertThat(bench.desk.unrelease(id, "ann")).isEqualTo(TicketState.READY);

    assertThat(
            database.column(
                "SELECT state FROM holdfast.tickets WHERE parent_id = ? ORDER BY id", id))
        .containsExactly("on_hold", "on_hold", "ready");
    assertThat(actions(id)).contains("release_undone");
    assertThatThrownBy(() -> bench.desk.unrelease(id, "ann"))
        .hasMessageContaining("cannot undo the release of ticket " + id);
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("and its steps are held, released and cancelled by one statement")
  void oneStatement() {
    long id = withThreeSteps();
    long step = bench.ticketOf(id, "each");
    String all = " FROM (SELECT generate_series(%s, %s) AS id) t".formatted(step - 1, step + 2);
    assertThat(step).isEqualTo(id + 1);

    database.run("SELECT holdfast.hold_ticket(id, 'ann', 'wait')" + all);
    database.run("SELECT holdfast.release_ticket(id, 'ann', 'again')" + all);
    assertThat(actions(step)).containsExactly("held", "released");
    assertThatThrownBy(() -> database.run("SELECT holdfast.release_ticket(id, 'ann')" + all))
        .hasStackTraceContaining("cannot release ticket " + id);
    database.run("SELECT holdfast.cancel_ticket(id, 'ann', 'no')" + all);
    assertThat(actions(step)).containsExactly("held", "released", "cancelled");
    assertThatThrownBy(() -> database.run("SELECT holdfast.cancel_ticket(id, 'ann')" + all))
        .hasStackTraceContaining("cannot cancel ticket " + id);
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("goes on without a cancelled step that says on_cancelled: run")
  void stepRunsOn() {
    long id =
        bench.workflow(
            bench.step("a", "\"on_cancelled\": \"run\"") + "," + bench.after("b", "a"), "{}");
    bench.advance();
    bench.desk.cancel(bench.ticketOf(id, "a"), "carl", null);
    assertThat(bench.state(id)).isEqualTo("ready");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "2");
    bench.advance();
    assertThat(bench.result(id)).isEqualTo("{\"a\": null, \"b\": 2}");
  }

  @Test
  @DisplayName(
      "is cancelled with its open steps when one is that says on_cancelled: cancel, and so is the"
          + " workflow of which it is such a step")
  void stepTakesItWithIt() {
    String cancels = "\"on_cancelled\": \"cancel\"";
    String inner =
        bench.workflowDesign(
            bench.step("a", cancels + ", \"for_each\": \"[1, 2, 3]\"") + "," + bench.step("b", ""));
    long outer =
        bench.workflow(
            "\"sub\": {\"design\": \"" + inner + "\", " + cancels + "}," + bench.step("c", ""),
            "{}");
    bench.advance();
    long sub = bench.ticketOf(outer, "sub");
    long a = bench.ticketOf(sub, "a");
    long b = bench.ticketOf(sub, "b");
    long c = bench.ticketOf(outer, "c");
    ClaimedTicket running = bench.of(bench.claim(bench.job), sub, "b");

    bench.desk.cancel(a + 1, "carl", "not this one");

    for (long each : new long[] {outer, sub, a, a + 1, a + 2, b, c}) {
      assertThat(bench.state(each)).as("#%s", each).isEqualTo("cancelled");
    }
    assertThat(
            database.column(
                "SELECT actor || ': ' || (details->>'reason') FROM holdfast.ticket_activity WHERE"
                    + " action = 'cancelled' AND ticket_id = ANY (ARRAY[?, ?, ?]::bigint[]) ORDER"
                    + " BY ticket_id",
                outer,
                c,
                sub))
        .containsExactlyInAnyOrder(
            "carl: #" + sub + " of its step sub was cancelled",
            "carl: #" + (a + 1) + " of its step a was cancelled",
            "carl: its workflow #" + outer + " was cancelled");
    assertThat(bench.finish(new Finish.Succeeded(b, running.lease().no(), "1", Review.NONE, null)))
        .isEqualTo(new FinishResult.Stale(b));
    bench.advance();
    assertThat(bench.claim(bench.job)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cancel", "hold"})
  @DisplayName(
      "minds a step that is cancelled in review, though its success was enough and it has not gone"
          + " on yet")
  void cancelledInReview(String onCancelled) {
    String eager = bench.design("\"after\": \"success\"");
    long id =
        bench.workflow(
            bench.step("a", "\"on_cancelled\": \"" + onCancelled + "\"")
                + ",\"b\": {\"design\": \""
                + eager
                + "\", \"after\": [\"a\"]}",
            "{}");
    bench.advance();
    ClaimedTicket a = bench.claimOne(bench.job);
    bench.desk.hold(id, "hal", "wait");
    bench.finish(new Finish.Succeeded(a.id(), a.lease().no(), "1", Review.HUMAN, null));

    bench.desk.cancel(a.id(), "carl", "no");

    if (onCancelled.equals("cancel")) {
      assertThat(bench.state(id)).isEqualTo("cancelled");
    } else {
      assertThat(bench.held(id)).startsWith("dependency_cancelled: #" + a.id());
      bench.release(id);
      bench.advance();
      assertThat(bench.claim(bench.job)).as("b").hasSize(1);
    }
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("is cancelled by a step while another one is approved, and nobody meets a deadlock")
  void stepTakesItWithItAtOnce() throws Exception {
    long id =
        bench.workflow(
            bench.step("b", "") + "," + bench.step("a", "\"on_cancelled\": \"cancel\""), "{}");
    bench.advance();
    ClaimedTicket b = bench.of(bench.claim(bench.job), id, "b");
    long a = bench.ticketOf(id, "a");
    bench.finish(new Finish.Succeeded(b.id(), b.lease().no(), "1", Review.HUMAN, null));
    try (Connection approving = bench.pool.getConnection();
        Statement statement = approving.createStatement()) {
      approving.setAutoCommit(false);
      statement.execute("SELECT FROM holdfast.ticket_base WHERE id = " + b.id() + " FOR UPDATE");
      CompletableFuture<Void> cancelling =
          CompletableFuture.runAsync(
              () -> database.run("SELECT holdfast.cancel_ticket(?, 'carl')", a));
      await("the cancellation waits")
          .until(
              () ->
                  database.number(
                          "SELECT count(*) FROM pg_stat_activity WHERE datname ="
                              + " current_database() AND wait_event_type = 'Lock'")
                      > 0);
      statement.execute("SELECT holdfast.approve_ticket(" + b.id() + ", 'ann')");
      approving.commit();
      approving.setAutoCommit(true);
      cancelling.get(60, TimeUnit.SECONDS);
    }
    assertThat(bench.state(b.id())).isEqualTo("done");
    assertThat(bench.state(id)).isEqualTo("cancelled");
    database.assertNoTicketIsLost();
  }

  @ParameterizedTest
  @DisplayName("is acted on while a person ends one of its steps, and nobody meets a deadlock")
  @ValueSource(
      strings = {
        "release_ticket(%1$s, 'carl')",
        "unrelease_ticket(%1$s, 'carl')",
        "replay_ticket(%1$s, 'carl', 'b')",
        "hold_batch(%2$s, 'carl', 'wait')",
        "cancel_batch(%2$s, 'carl')",
        "start_release('carl', 1, ids => '{%1$s}')"
      })
  void actedOnAtOnce(String action) throws Exception {
    long batch = database.number("SELECT holdfast.open_batch('ann')");
    long id =
        database.number(
            "SELECT holdfast.enqueue_ticket(design => ?, title => 'wf', batch_id => ?)",
            bench.workflowDesign(bench.step("a", "") + "," + bench.step("b", "")),
            batch);
    bench.advance();
    long b = bench.ticketOf(id, "b");
    if (action.contains("release")) {
      bench.desk.hold(b, "hal", "wait");
    }
    if (action.startsWith("unrelease")) {
      bench.release(id);
    }
    if (action.startsWith("start")) {
      bench.desk.hold(id, "hal", "wait");
    }
    try (Connection ending = bench.pool.getConnection();
        Statement statement = ending.createStatement()) {
      ending.setAutoCommit(false);
      statement.execute("SELECT FROM holdfast.ticket_base WHERE id = " + b + " FOR UPDATE");
      CompletableFuture<Void> acting =
          CompletableFuture.runAsync(
              () -> database.run("SELECT holdfast." + action.formatted(id, batch)));
      await("the action waits")
          .until(
              () ->
                  database.number(
                          "SELECT count(*) FROM pg_stat_activity WHERE datname ="
                              + " current_database() AND wait_event_type = 'Lock'")
                      > 0);
      statement.execute("SELECT holdfast.cancel_ticket(" + b + ", 'ann')");
      ending.commit();
      ending.setAutoCommit(true);
      try {
        acting.get(60, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        // It came too late.
        assertThat(e).hasStackTraceContaining("it is on_hold");
      }
    }
    if (bench.state(id).equals("ready")) {
      bench.advance();
    }
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("is replayed from a step: the steps before keep their results, also when it is done")
  void replay() {
    long id =
        bench.workflow(
            bench.step("a", "") + "," + bench.after("b", "a") + "," + bench.after("c", "b"), "{}");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "1");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "2");
    bench.advance();
    long c = bench.ticketOf(id, "c");
    assertThat(replay(id, "b")).isEqualTo(id);
    assertThat(bench.state(c)).isEqualTo("cancelled");
    assertThat(bench.steps(id).toString()).isEqualTo("{a=done, b=waiting, c=waiting}");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "22");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "33");
    bench.advance();
    assertThat(bench.result(id)).isEqualTo("{\"a\": 1, \"b\": 22, \"c\": 33}");
    long again = replay(id, "c");
    assertThat(again).isNotEqualTo(id);
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "44");
    bench.advance();
    assertThat(bench.result(again)).isEqualTo("{\"a\": 1, \"b\": 22, \"c\": 44}");
    assertThatThrownBy(() -> replay(id, "x")).hasStackTraceContaining("has no step \"x\"");
    long job = bench.inbox.enqueue(NewTicket.ofDesign(bench.design));
    assertThatThrownBy(() -> replay(job, "x")).hasStackTraceContaining("is no workflow");
  }

  @Test
  @DisplayName(
      "whose template fails goes on from there with a better version of its design, which has the"
          + " steps that have begun")
  void betterDesign() {
    String name =
        bench.workflowDesign(
            bench.step("a", "")
                + ","
                + bench.step("each", "\"for_each\": \"[1, 2]\"")
                + ","
                + bench.step(
                    "b", "\"after\": [\"a\"], \"payload\": {\"x\": \"${results.a.nope}\"}"));
    long id = bench.inbox.enqueue(NewTicket.ofDesign(name).withTitle("wf"));
    bench.advance();
    List<ClaimedTicket> claimed = bench.claim(bench.job);
    bench.finish(bench.of(claimed, id, "a"), "{\"n\": 41}");
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("on_hold");
    String better = bench.step("b", "\"after\": [\"a\"], \"payload\": {\"x\": \"${results.a.n}\"}");
    version(name, 2, better + "," + bench.step("each", "\"for_each\": \"[1, 2]\""));
    version(name, 3, better + "," + bench.step("a", "") + "," + bench.step("each", ""));
    for (int bad : new int[] {2, 3}) {
      assertThatThrownBy(() -> database.run("SELECT holdfast.use_design(?, 'ann', ?)", id, bad))
          .hasStackTraceContaining("has other steps than ticket " + id + " has begun: ")
          .hasStackTraceContaining(bad == 2 ? "begun: a" : "begun: each");
    }
    version(
        name,
        4,
        better
            + ","
            + bench.step("a", "")
            + ","
            + bench.step("each", "\"for_each\": \"[1, 2, 3]\""));

    database.run("SELECT holdfast.use_design(?, 'ann')", id);
    bench.release(id);

    bench.advance();
    ClaimedTicket b = bench.claimOne(bench.job);
    assertThat(b.ticket().payload()).isEqualTo("{\"x\": 41}");
    bench.finish(b, "\"b\"");
    claimed.stream()
        .filter(each -> each.id() != bench.ticketOf(id, "a"))
        .forEach(each -> bench.finish(each, "1"));
    bench.advance();
    assertThat(bench.result(id)).isEqualTo("{\"a\": {\"n\": 41}, \"b\": \"b\", \"each\": [1, 1]}");
    assertThat(
            database.value(
                "SELECT details->>'version' FROM holdfast.ticket_activity WHERE ticket_id = ? AND"
                    + " action = 'design_changed'",
                id))
        .isEqualTo("4");
  }

  private void version(String name, int version, String steps) {
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, ?, 'workflow',"
            + " ?::jsonb)",
        name,
        version,
        "{\"steps\": {" + steps + "}}");
  }

  private long replay(long id, String from) {
    return database.number("SELECT holdfast.replay_ticket(?, 'ann', ?)", id, from);
  }
}
