package dev.holdfast.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.Finish;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Review;
import dev.holdfast.worker.HandlerResult;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Steps of many tickets, as a whole: their turns, their ends and their second time. */
@WithDatabase
@EverySetup
@DisplayName("The items of a workflow's step")
class WorkflowItemsIT {
  private static final String FOUR =
      "\"for_each\": \"payload.items\", \"payload\": {\"n\": \"${item}\"}, \"breadth\": 1";

  private final TicketDatabase database;
  @AutoClose private final WorkflowBench bench;

  WorkflowItemsIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.bench = new WorkflowBench(this.database);
  }

  private List<String> payloads(List<ClaimedTicket> claimed) {
    return claimed.stream().map(each -> each.ticket().payload()).toList();
  }

  private void finishAdding(ClaimedTicket ticket, String result) {
    String adds =
        HandlerResult.done(null).adding(List.of(NewTicket.ofDesign(bench.design))).enqueues();
    bench.finish(new Finish.Succeeded(ticket.id(), ticket.lease().no(), result, Review.NONE, adds));
  }

  private long replay(long id, String from) {
    return database.number("SELECT holdfast.replay_ticket(?, 'ann', ?)", id, from);
  }

  /** Works all that is ready; each ticket's result is its payload. */
  private void work() {
    bench.advance();
    for (List<ClaimedTicket> all = bench.claim(bench.job);
        !all.isEmpty();
        all = bench.claim(bench.job)) {
      all.forEach(each -> bench.finish(each, each.ticket().payload()));
      bench.advance();
    }
  }

  @Test
  @DisplayName(
      "that were cancelled with the workflow are worked when it is replayed, one at a time as"
          + " before, and stand in their places")
  void replayOfCancelled() {
    long id =
        bench.workflow(
            bench.step("list", FOUR)
                + ","
                + bench.step("other", "")
                + ","
                + bench.step(
                    "end",
                    "\"after\": [\"list\", \"other\"], \"payload\": {\"all\":"
                        + " \"${results.list}\"}"),
            "{\"items\": [1, 2, 3, 4]}");
    bench.advance();
    List<ClaimedTicket> first = bench.claim(bench.job);
    assertThat(first).hasSize(2);
    first.forEach(each -> bench.finish(each, each.ticket().payload()));
    bench.desk.cancel(id, "carl", null);

    long again = replay(id, "other");
    bench.advance();

    List<ClaimedTicket> claimed = bench.claim(bench.job);
    assertThat(payloads(claimed)).containsExactlyInAnyOrder("{\"n\": 2}", "{}");
    claimed.forEach(each -> bench.finish(each, each.ticket().payload()));
    ClaimedTicket third = bench.claimOne(bench.job);
    assertThat(third.ticket().title()).isEqualTo("wf: list 3");
    bench.finish(third, third.ticket().payload());
    work();
    assertThat(bench.result(again))
        .contains("\"list\": [{\"n\": 1}, {\"n\": 2}, {\"n\": 3}, {\"n\": 4}]")
        .contains("\"end\": {\"all\": [{\"n\": 1}, {\"n\": 2}, {\"n\": 3}, {\"n\": 4}]}");
    assertThat(bench.state(id)).isEqualTo("cancelled");
    database.assertNoTicketIsLost();
  }

  @Test
  @DisplayName("that a person had cancelled stay null, and are not worked, when it is replayed")
  void replayKeepsNulls() {
    String run = "\"on_cancelled\": \"run\"";
    long id =
        bench.workflow(
            bench.step("list", FOUR + ", " + run)
                + ","
                + bench.step("solo", run)
                + ","
                + bench.step("other", "\"after\": [\"list\", \"solo\"]"),
            "{\"items\": [1, 2, 3]}");
    bench.advance();
    bench.desk.cancel(bench.ticketOf(id, "solo"), "carl", null);
    bench.desk.cancel(bench.ticketOf(id, "list"), "carl", null);
    work();
    String result = "{\"list\": [null, {\"n\": 2}, {\"n\": 3}], \"solo\": null, \"other\": {}}";
    assertThat(bench.result(id)).isEqualTo(result);

    long again = replay(id, "other");
    bench.advance();
    ClaimedTicket other = bench.claimOne(bench.job);
    bench.finish(other, "{}");
    bench.advance();

    assertThat(bench.result(again)).isEqualTo(result);
  }

  @Test
  @DisplayName("are as many at once as its breadth says, whether one adds tickets or is cancelled")
  void breadth() {
    String adder = bench.design("\"may_enqueue\": [\"" + bench.design + "\"]");
    long id =
        bench.workflow(
            "\"list\": {\"design\": \"%s\", \"on_cancelled\": \"run\", %s}".formatted(adder, FOUR),
            "{\"items\": [1, 2, 3, 4, 5]}");
    bench.advance();
    finishAdding(bench.claimOne(bench.job), "1");
    List<ClaimedTicket> second = bench.claim(bench.job);
    assertThat(payloads(second)).containsExactlyInAnyOrder("{}", "{\"n\": 2}");
    bench.finish(second.stream().filter(each -> !isItem(each)).findFirst().orElseThrow(), null);
    assertThat(bench.claim(bench.job)).as("the added one was no item").isEmpty();

    ClaimedTicket item = second.stream().filter(WorkflowItemsIT::isItem).findFirst().orElseThrow();
    bench.desk.cancel(item.id(), "carl", null);
    ClaimedTicket third = bench.claimOne(bench.job);
    assertThat(third.ticket().payload()).isEqualTo("{\"n\": 3}");
    long queued = database.number("SELECT max(id) FROM holdfast.tickets WHERE parent_id = ?", id);
    bench.desk.cancel(queued, "carl", null);
    assertThat(bench.claim(bench.job)).as("it had no turn").isEmpty();
    bench.finish(third, "3");
    bench.finish(bench.claimOne(bench.job), "4");
    bench.advance();
    assertThat(bench.result(id)).isEqualTo("{\"list\": [1, null, 3, 4, null]}");
    database.assertNoTicketIsLost();
  }

  private static boolean isItem(ClaimedTicket ticket) {
    return ticket.ticket().payload().contains("n");
  }

  @Test
  @DisplayName("and what they add are cancelled and held with the workflow")
  void addedGoWithIt() {
    String adder = bench.design("\"may_enqueue\": [\"" + bench.design + "\"]");
    String steps =
        "\"a\": {\"design\": \"" + adder + "\"}," + bench.step("b", "\"after\": [\"a\"]");
    long cancelled = bench.workflow(steps, "{}");
    long held = bench.workflow(steps, "{}");
    bench.advance();
    bench.claim(bench.job).forEach(each -> finishAdding(each, "1"));

    bench.desk.cancel(cancelled, "carl", null);
    bench.desk.hold(held, "hal", "wait");

    assertThat(database.column(ADDED, cancelled)).containsExactly("cancelled");
    assertThat(database.column(ADDED, held)).containsExactly("on_hold");
    bench.release(held);
    assertThat(database.column(ADDED, held)).containsExactly("ready");
  }

  private static final String ADDED =
      "SELECT t.state FROM holdfast.tickets t JOIN holdfast.tickets p ON p.id = t.parent_id WHERE"
          + " p.parent_id = ?";

  @Test
  @DisplayName("and what they add need no review for a step whose design says after: success")
  void successOfAdded() {
    String adder = bench.design("\"may_enqueue\": [\"" + bench.design + "\"]");
    String eager = bench.design("\"after\": \"success\"");
    long id =
        bench.workflow(
            "\"a\": {\"design\": \"%s\"}, \"b\": {\"design\": \"%s\", \"after\": [\"a\"]}"
                .formatted(adder, eager),
            "{}");
    bench.advance();
    finishAdding(bench.claimOne(bench.job), "1");
    ClaimedTicket added = bench.claimOne(bench.job);
    bench.finish(new Finish.Succeeded(added.id(), added.lease().no(), "2", Review.HUMAN, null));
    bench.advance();
    assertThat(bench.steps(id)).containsEntry("a", "needs_review").containsEntry("b", "ready");
  }

  @Test
  @DisplayName(
      "and are in review where a success is enough are held, cancelled and worked again with their"
          + " workflow as those that run")
  void inReviewWithTheirWorkflow() {
    String eager = bench.design("\"after\": \"success\"");
    long id =
        bench.workflow(
            bench.step("each", "\"for_each\": \"payload.items\"")
                + ",\"b\": {\"design\": \"%s\", \"after\": [\"each\"]}".formatted(eager),
            "{\"items\": [1, 2, 3]}");
    bench.advance();
    List<ClaimedTicket> items = bench.claim(bench.job);
    for (ClaimedTicket each : items.subList(0, 2)) {
      bench.finish(new Finish.Succeeded(each.id(), each.lease().no(), "1", Review.HUMAN, null));
    }
    long inReview = items.get(0).id();
    long rejected = items.get(1).id();
    bench.desk.reject(rejected, "ann", "once more");
    bench.desk.hold(id, "ann", "wait");
    assertThat(bench.state(rejected)).isEqualTo("on_hold");
    bench.release(id);
    assertThat(bench.state(rejected)).isEqualTo("ready");
    bench.desk.cancel(id, "ann", "no");
    assertThat(items).extracting(each -> bench.state(each.id())).containsOnly("cancelled");
    long again = bench.desk.replay(id, "ann", "b");
    bench.finishAll(bench.claim(bench.job), "2");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "3");
    bench.advance();
    assertThat(bench.result(again)).isEqualTo("{\"b\": 3, \"each\": [2, 2, 2]}");
    assertThat(bench.state(inReview)).isEqualTo("cancelled");
  }

  @Test
  @DisplayName("may have titles of their own, made of the item")
  void titles() {
    bench.workflow(
        bench.step(
                "own", "\"for_each\": \"payload.items\", \"title\": \"part ${item} of ${index}\"")
            + ","
            + bench.step("same", "\"for_each\": \"payload.items\", \"title\": \"part\""),
        "{\"items\": [7, 8]}");
    bench.advance();
    assertThat(bench.claim(bench.job))
        .extracting(each -> each.ticket().title())
        .containsExactlyInAnyOrder("part 7 of 0", "part 8 of 1", "part 1", "part 2");
  }

  @Test
  @DisplayName("expire so long after their turn has come, not while they wait for it")
  void expiry() {
    String brief = bench.design("\"expires\": \"5s\"");
    long id =
        bench.workflow(
            "\"list\": {\"design\": \"%s\", %s}".formatted(brief, FOUR), "{\"items\": [1, 2]}");
    bench.advance();
    ClaimedTicket first = bench.claimOne(bench.job);
    String ends =
        "SELECT expires_at IS NOT NULL FROM holdfast.ticket_base WHERE id <> ? AND id IN (SELECT"
            + " ticket_id FROM holdfast.ticket_parents WHERE parent_id = ?)";
    assertThat(database.column(ends, first.id(), id)).containsExactly("f");
    bench.finish(first, null);
    assertThat(database.column(ends, first.id(), id)).containsExactly("t");
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.ticket_deadlines WHERE expires_at > now()"
                    + " + interval '3 s' AND ticket_id IN (SELECT ticket_id FROM"
                    + " holdfast.ticket_parents WHERE parent_id = ?)",
                id))
        .isPositive();
  }

  @Test
  @DisplayName("of a workflow that is a step itself are released with the outer one")
  void releaseOfOuter() {
    String inner = bench.workflowDesign(bench.step("deep", ""));
    long outer = bench.workflow("\"in\": {\"design\": \"" + inner + "\"}", "{}");
    bench.advance();
    long deep =
        database.number(
            "SELECT id FROM holdfast.tickets WHERE parent_id = ?", bench.ticketOf(outer, "in"));
    bench.desk.hold(deep, "hal", "wait");
    bench.release(outer);
    assertThat(bench.state(deep)).isEqualTo("ready");
  }

  @Test
  @DisplayName("are held again with their workflow where its release is undone")
  void undone() {
    String inner = bench.workflowDesign(bench.step("deep", ""));
    long outer =
        bench.workflow(bench.step("a", "") + ", \"in\": {\"design\": \"" + inner + "\"}", "{}");
    bench.advance();
    String states =
        "SELECT state FROM holdfast.tickets WHERE id >= ? AND (id = ? OR parent_id >= ?) ORDER BY"
            + " id";
    bench.desk.hold(outer, "hal", "wait");
    bench.release(outer);
    assertThat(database.column(states, outer, outer, outer)).containsOnly("ready");
    database.run("SELECT holdfast.unrelease_ticket(?, 'hal')", outer);
    assertThat(database.column(states, outer, outer, outer)).containsOnly("on_hold").hasSize(4);
  }

  @Test
  @DisplayName("all begin where a new version of the design has no breadth any more")
  void noMoreBreadth() {
    String name = bench.workflowDesign(bench.step("list", FOUR));
    long id =
        bench.inbox.enqueue(NewTicket.ofDesign(name).withPayload("{\"items\": [1, 2, 3, 4]}"));
    bench.advance();
    ClaimedTicket first = bench.claimOne(bench.job);
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) SELECT name, 2, kind,"
            + " definition #- '{steps,list,breadth}' FROM holdfast.designs WHERE name = ?",
        name);
    bench.desk.hold(id, "hal", "wait");
    database.run("SELECT holdfast.use_design(?, 'hal')", id);
    bench.release(id);
    bench.finish(first, "1");
    assertThat(bench.claim(bench.job)).hasSize(3);
  }

  @Test
  @DisplayName("belong to the latest replay, so that its retention counts")
  void replayedTwice() {
    long id = bench.workflow(bench.step("a", "") + "," + bench.after("b", "a"), "{}");
    work();
    replay(id, "b");
    long last = replay(id, "b");
    assertThat(
            database.number(
                "SELECT parent_id FROM holdfast.tickets WHERE id = ?", bench.ticketOf(id, "a")))
        .isEqualTo(last);
  }

  @Test
  @DisplayName("are worked, whatever names the tickets have that their workflow waits for")
  void namedPredecessor() {
    long before = bench.inbox.enqueue(NewTicket.ofDesign(bench.design));
    bench.finish(bench.claimOne(bench.job), "\"foreign\"");
    String workflow = bench.workflowDesign(bench.step("fetch", "\"payload\": {\"mine\": true}"));
    long id =
        database.number(
            "SELECT holdfast.enqueue_ticket(design => ?, after => ARRAY[?::bigint], after_names =>"
                + " ARRAY['fetch'])",
            workflow,
            before);
    work();
    assertThat(bench.result(id)).isEqualTo("{\"fetch\": {\"mine\": true}}");
  }

  private static final String LARGE = "\"" + "x".repeat(900_000) + "\"";

  /** Once: how much is too much is not the server's matter. */
  @Tag("slow")
  @Test
  @DisplayName(
      "hold the workflow where a later step uses more of what they gave than 32 MiB, until it does"
          + " not; and may give as much as they like where no later step uses it")
  void large() {
    long id =
        bench.workflow(
            bench.step("fetch", "")
                + ","
                + bench.step("list", "\"after\": [\"fetch\"], \"for_each\": \"results.fetch\"")
                + ","
                + bench.step("end", "\"after\": [\"list\"], " + using("size(results.list)")),
            "{}");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), Collections.nCopies(40, 1).toString());
    bench.advance();
    bench.finishAll(bench.claim(bench.job), LARGE);
    bench.advance();
    for (String next : List.of("size(results)", "results['li' + 'st'][0]", "size(results.fetch)")) {
      assertThat(bench.held(id)).contains("the results that its next steps use have 36000");
      redesign(id, using(next));
      bench.advance();
    }

    ClaimedTicket end = bench.claimOne(bench.job);
    assertThat(end.ticket().payload()).isEqualTo("{\"n\": 40}");
    bench.finish(end, "7");
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("done");
    assertThat(bench.result(id))
        .contains("\"end\": 7")
        .contains("\"omitted\": \"36000080 bytes; the tickets of the step have them\"")
        .contains("\"tickets\": 40");
  }

  private static String using(String expression) {
    return "\"payload\": {\"n\": \"${" + expression + "}\"}";
  }

  /** Gives the held workflow's last step another payload, and releases it. */
  private void redesign(long id, String payload) {
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) SELECT d.name, d.version +"
            + " 1, d.kind, jsonb_set(d.definition, '{steps,end,payload}', ?::jsonb -> 'payload')"
            + " FROM holdfast.designs d WHERE d.id = (SELECT design_id FROM holdfast.tickets WHERE"
            + " id = ?)",
        "{" + payload + "}",
        id);
    database.run("SELECT holdfast.use_design(?, 'hal')", id);
    bench.release(id);
  }
}
