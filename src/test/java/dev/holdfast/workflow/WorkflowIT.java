package dev.holdfast.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Review;
import dev.holdfast.worker.HandlerResult;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@WithDatabase
@EverySetup
@DisplayName("A workflow")
class WorkflowIT {
  private final TicketDatabase database;
  @AutoClose private final WorkflowBench bench;

  WorkflowIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.bench = new WorkflowBench(this.database);
  }

  @Test
  @DisplayName(
      "works its steps in order, asks a person, skips and joins, and ends with all results")
  void whole() {
    long id =
        bench.workflow(
            bench.step("fetch", "\"payload\": {\"url\": \"${payload.url}\"}")
                + ","
                + bench.step(
                    "each",
                    "\"after\": [\"fetch\"], \"for_each\": \"results.fetch.items\", \"breadth\": 2,"
                        + " \"payload\": {\"item\": \"${item.n}\", \"at\": \"no. ${index + 1}\"}")
                + ", \"approve\": {\"kind\": \"human\", \"after\": [\"each\"], \"ask\": \"Publish"
                + " ${results.each.size()}?\", \"form\": {\"type\": \"object\", \"required\":"
                + " [\"ok\"], \"properties\": {\"ok\": {\"type\": \"boolean\"}}}},"
                + bench.step(
                    "publish", "\"after\": [\"approve\"], \"when\": \"results.approve.ok\"")
                + ","
                + bench.step(
                    "refuse", "\"after\": [\"approve\"], \"when\": \"!results.approve.ok\"")
                + ","
                + bench.after("mourn", "refuse")
                + ","
                + bench.step(
                    "end",
                    "\"after\": [\"publish\", \"refuse\"], \"when\": \"has(results.publish)\""),
            "{\"url\": \"http://x\"}");
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("ready");
    ClaimedTicket fetch = bench.claimOne(bench.job);
    assertThat(fetch.ticket().payload()).isEqualTo("{\"url\": \"http://x\"}");
    assertThat(fetch.ticket().title()).isEqualTo("wf: fetch");
    assertThat(database.value("SELECT parent_id FROM holdfast.tickets WHERE id = ?", fetch.id()))
        .isEqualTo(String.valueOf(id));
    bench.finish(fetch, "{\"items\": [{\"n\": 1.10}, {\"n\": 2}, {\"n\": 3}]}");
    bench.advance();
    List<ClaimedTicket> two = bench.claim(bench.job);
    assertThat(two)
        .extracting(each -> each.ticket().payload())
        .containsExactly("{\"at\": \"no. 1\", \"item\": 1.10}", "{\"at\": \"no. 2\", \"item\": 2}");
    assertThat(bench.steps(id))
        .containsEntry("each", "in_progress")
        .containsEntry("end", "waiting");
    bench.finish(two.getLast(), "\"b\"");
    ClaimedTicket third = bench.claimOne(bench.job);
    bench.finish(third, "\"c\"");
    bench.advance();
    assertThat(bench.steps(id)).containsEntry("approve", "waiting");
    bench.finish(two.getFirst(), "\"a\"");
    bench.advance();
    long approve = bench.ticketOf(id, "approve");
    assertThat(bench.held(approve)).isEqualTo("question: Publish 3?");
    assertThat(
            database.value(
                "SELECT waits_for FROM holdfast.waiting_tickets WHERE ticket_id = ?", id))
        .startsWith("#" + approve + ", on hold since ");
    database.run("SELECT holdfast.answer_ticket(?, 'ann', '{\"ok\": 7}')", approve);
    bench.advance();
    assertThat(bench.held(approve)).isEqualTo("question: Publish 3?");
    database.run("SELECT holdfast.answer_ticket(?, 'ann', '{\"ok\": true}')", approve);
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "5");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), null);
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("done");
    assertThat(bench.steps(id).toString())
        .isEqualTo(
            "{approve=done, each=done, end=done, fetch=done, mourn=skipped, publish=done,"
                + " refuse=skipped}");
    assertThat(bench.result(id))
        .isEqualTo(
            "{\"end\": null, \"each\": [\"a\", \"b\", \"c\"], \"fetch\": {\"items\": [{\"n\":"
                + " 1.10}, {\"n\": 2}, {\"n\": 3}]}, \"approve\": {\"ok\": true}, \"publish\": 5}");
    database.assertNoTicketIsLost();
  }

  @ParameterizedTest
  @DisplayName("is held with the reason where a step cannot begin, and nothing is added")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"payload\": {\"x\": \"${results.a.nope}\"}"
            + "|step b: results.a.nope: there is no results.a.nope",
        "\"for_each\": \"results.a.n\"|step b: for_each: its value must be a list, and is 1",
        "\"for_each\": \"payload.many\"|step b: for_each: the list has 10001 items, and 10000 are"
            + " allowed, for they begin in one transaction; let it be a list of parts",
        "\"when\": \"results.a.n\"|step b: when: its value must be true or false, and is 1",
        "\"when\": \"results.a.n / 0 == 1\"|step b: results.a.n / 0 == 1: / by zero",
        "\"payload\": {\"x\": \"${results.a.big}${results.a.big}\"}"
            + "|step b: payload: it has 1200008 characters, and 1048576 are allowed",
        "\"for_each\": \"payload.few\", \"payload\": {\"x\": \"${results.a.big}\"}"
            + "|step b: payload: all that begin now have more than 67108864 characters together",
      })
  void holds(String more, String reason) {
    String many = more.contains("payload.many") ? "[" + "1,".repeat(10_000) + "1]" : "[]";
    String big = "x".repeat(more.contains("results.a.big") ? 600_000 : 1);
    long id =
        bench.workflow(
            bench.step("a", "") + "," + bench.step("b", "\"after\": [\"a\"], " + more),
            "{\"many\": " + many + ", \"few\": [" + "1,".repeat(119) + "1]}");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "{\"n\": 1, \"big\": \"" + big + "\"}");
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("on_hold");
    assertThat(bench.held(id))
        .startsWith(reason)
        .endsWith("holdfast design use " + id + ") or the payload, then release");
    assertThat(bench.steps(id)).containsEntry("a", "done").containsEntry("b", "waiting");
  }

  @Test
  @DisplayName("whose step has a design that is not there is held, and goes on when it is")
  void missingDesign() {
    long id = bench.workflow("\"a\": {\"design\": \"nope\"}", "{}");
    bench.advance();
    assertThat(bench.held(id))
        .isEqualTo(
            "step a: there is no design \"nope\"; put it (holdfast design put nope --file FILE),"
                + " then release");
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('nope', 1, ?,"
            + " '{}')",
        bench.job);
    bench.release(id);
    bench.advance();
    bench.finish(bench.claimOne(bench.job), null);
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("done");
  }

  @Test
  @DisplayName("has thousands of items, and goes on once when all have ended")
  void manyItems() {
    int items = 2_000;
    long id =
        bench.workflow(
            bench.step("each", "\"for_each\": \"payload.items\"")
                + ","
                + bench.after("join", "each"),
            "{\"items\": [" + "1,".repeat(items - 1) + "1]}");
    bench.advance();
    List<ClaimedTicket> claimed = bench.claim(bench.job);
    assertThat(claimed).hasSize(items);
    bench.finishAll(claimed.subList(0, items - 2), "1");
    assertThat(bench.claim("workflow")).isEmpty();
    bench.finishAll(claimed.subList(items - 2, items), "1");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "2");
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("done");
    assertThat(database.number("SELECT attempt_count FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo(3);
  }

  @Test
  @DisplayName("shows as skipped what it left out at its very end")
  void skippedAtTheEnd() {
    long id =
        bench.workflow(
            bench.step("ask", "")
                + ","
                + bench.step("publish", "\"after\": [\"ask\"], \"when\": \"results.ask.ok\"")
                + ","
                + bench.after("tell", "publish"),
            "{}");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "{\"ok\": false}");
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("done");
    assertThat(bench.steps(id).toString()).isEqualTo("{ask=done, publish=skipped, tell=skipped}");
  }

  @Test
  @DisplayName("with an empty list goes on at once")
  void noItems() {
    long id =
        bench.workflow(
            bench.step("each", "\"for_each\": \"payload.items\"")
                + ","
                + bench.step(
                    "join",
                    "\"after\": [\"each\"], \"payload\": {\"n\": \"${size(results.each)}\"}"),
            "{\"items\": []}");
    bench.advance();
    ClaimedTicket join = bench.claimOne(bench.job);
    assertThat(join.ticket().payload()).isEqualTo("{\"n\": 0}");
    bench.finish(join, null);
    bench.advance();
    assertThat(bench.result(id)).isEqualTo("{\"each\": [], \"join\": null}");
  }

  @Test
  @DisplayName("never misses the end of a step when its last two tickets end at the same time")
  void twoEndAtOnce() throws Exception {
    for (int i = 0; i < 30; i++) {
      long id =
          bench.workflow(
              bench.step("a", "\"for_each\": \"[1, 2]\"") + "," + bench.step("b", ""), "{}");
      bench.advance();
      List<ClaimedTicket> claimed = bench.claim(bench.job);
      AtOnce.run(claimed.stream().map(this::finishing).toList());
      bench.advance();
      assertThat(bench.state(id)).isEqualTo("done");
    }
    database.assertNoTicketIsLost();
  }

  private Callable<Long> finishing(ClaimedTicket ticket) {
    return () -> {
      bench.finish(ticket, "1");
      return ticket.id();
    };
  }

  @Test
  @DisplayName("takes the end of a step while it is being worked for news")
  void endsMeanwhile() {
    long id =
        bench.workflow(
            bench.step("a", "")
                + ","
                + bench.step("b", "")
                + ","
                + bench.step("d", "")
                + ","
                + bench.after("c", "a", "b"),
            "{}");
    bench.advance();
    List<ClaimedTicket> all = bench.claim(bench.job);
    ClaimedTicket a = bench.of(all, id, "a");
    ClaimedTicket b = bench.of(all, id, "b");
    bench.finish(a, null);
    ClaimedTicket running = bench.claimOne("workflow");
    Finish decided = bench.decide(running);
    bench.finish(b, null);
    bench.finish(decided);
    bench.advance();
    assertThat(bench.steps(id)).containsEntry("c", "ready").containsEntry("d", "in_progress");
  }

  @Test
  @DisplayName("adds its steps once, whatever is sent twice or too late")
  void once() {
    long id = bench.workflow(bench.step("a", ""), "{}");
    ClaimedTicket claimed = bench.claimOne("workflow");
    Finish decided = bench.decide(claimed);
    assertThat(bench.finish(decided)).isEqualTo(new FinishResult.Advanced(id));
    assertThat(bench.finish(decided))
        .as("its answer was lost")
        .isEqualTo(new FinishResult.Advanced(id));
    assertThat(bench.claim(bench.job)).hasSize(1);

    long other = bench.workflow(bench.step("a", ""), "{}");
    Finish late = bench.decide(bench.claimOne("workflow"));
    bench.desk.hold(other, "hal", "wait");
    bench.release(other);
    assertThat(bench.finish(late)).isEqualTo(new FinishResult.Stale(other));
    assertThat(bench.claim(bench.job)).isEmpty();
    bench.advance();
    assertThat(bench.claim(bench.job)).hasSize(1);
  }

  @Test
  @DisplayName("does not wait for reviews where the design of a step says after: success")
  void afterSuccess() {
    String eager = bench.design("\"after\": \"success\"");
    long id =
        bench.workflow(
            bench.step("a", "") + ",\"b\": {\"design\": \"" + eager + "\", \"after\": [\"a\"]}",
            "{}");
    bench.advance();
    ClaimedTicket a = bench.claimOne(bench.job);
    bench.finish(new Finish.Succeeded(a.id(), a.lease().no(), "1", Review.HUMAN, null));
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "2");
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("ready");
    bench.desk.approve(a.id(), "ann");
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("done");
  }

  @Test
  @DisplayName(
      "takes a success that is enough for news while it is being worked, also that of a step which"
          + " was rejected")
  void succeedsAgainMeanwhile() {
    String eager = bench.design("\"after\": \"success\"");
    long id =
        bench.workflow(
            bench.step("a", "")
                + ","
                + bench.step("c", "")
                + ","
                + bench.step("d", "")
                + ",\"b\": {\"design\": \""
                + eager
                + "\", \"after\": [\"a\", \"c\"]}",
            "{}");
    bench.advance();
    List<ClaimedTicket> all = bench.claim(bench.job);
    ClaimedTicket c = bench.of(all, id, "c");
    succeed(bench.of(all, id, "a"));
    bench.advance();
    bench.desk.reject(bench.ticketOf(id, "a"), "ann", "again");
    ClaimedTicket again = bench.claimOne(bench.job);
    succeed(c);
    ClaimedTicket running = bench.claimOne("workflow");
    Finish decided = bench.decide(running);
    succeed(again);
    bench.finish(decided);
    bench.advance();
    assertThat(bench.steps(id)).containsEntry("b", "ready");
  }

  @Test
  @DisplayName(
      "goes on once all items of a step have succeeded, where that is enough, though it has gone on"
          + " with another step while some were in review")
  void itemsSucceed() {
    String eager = bench.design("\"after\": \"success\"");
    String steps =
        bench.step("a", "\"for_each\": \"[1, 2]\"")
            + ","
            + bench.step("c", "")
            + ",\"b\": {\"design\": \""
            + eager
            + "\", \"after\": [\"a\"]}";
    long id = bench.workflow(steps, "{}");
    bench.advance();
    List<ClaimedTicket> all = bench.claim(bench.job);
    ClaimedTicket c = bench.of(all, id, "c");
    List<ClaimedTicket> items = all.stream().filter(each -> each.id() != c.id()).toList();
    succeed(items.getFirst());
    bench.finish(c, "1");
    bench.advance();
    bench.desk.reject(items.getFirst().id(), "ann", "again");
    succeed(items.getLast());
    bench.advance();
    assertThat(bench.steps(id)).containsEntry("b", "waiting");
    succeed(bench.claimOne(bench.job));
    bench.advance();
    assertThat(bench.steps(id)).containsEntry("b", "ready");
    bench.finish(bench.claimOne(bench.job), "1");
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("ready");
    items.forEach(item -> bench.desk.approve(item.id(), "ann"));
    bench.advance();
    assertThat(bench.state(id)).isEqualTo("done");
  }

  @Test
  @DisplayName(
      "an item in review takes no place in the breadth of its step where a success is enough, also"
          + " once the workflow has gone on with another step")
  void breadthBesideReviews() {
    String eager = bench.design("\"after\": \"success\"");
    long id =
        bench.workflow(
            bench.step("a", "\"for_each\": \"[1, 2, 3]\", \"breadth\": 1")
                + ","
                + bench.step("c", "")
                + ",\"b\": {\"design\": \""
                + eager
                + "\", \"after\": [\"a\"]}",
            "{}");
    bench.advance();
    List<ClaimedTicket> all = bench.claim(bench.job);
    ClaimedTicket c = bench.of(all, id, "c");
    all.stream().filter(each -> each.id() != c.id()).forEach(this::succeed);
    bench.finish(c, "1");
    bench.advance();
    succeed(bench.claimOne(bench.job));
    succeed(bench.claimOne(bench.job));
    bench.advance();
    assertThat(bench.steps(id)).containsEntry("b", "ready");
  }

  @Test
  @DisplayName(
      "is held with the reason where a payload would be nested too deep, and its own result leaves"
          + " out what is")
  void deep() {
    String deepest = "[".repeat(499) + "]".repeat(499);
    long id =
        bench.workflow(
            bench.step("a", "")
                + ","
                + bench.step("b", "\"after\": [\"a\"], \"payload\": {\"x\": \"${results.a}\"}"),
            "{}");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), deepest);
    bench.advance();
    assertThat(bench.held(id)).startsWith("step b: payload: it is nested deeper than 496 levels");

    long other = bench.workflow(bench.step("a", "\"for_each\": \"[1]\""), "{}");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), deepest);
    bench.advance();
    assertThat(bench.result(other)).contains("\"omitted\": \"more than 499 levels;");
  }

  private void succeed(ClaimedTicket ticket) {
    bench.finish(new Finish.Succeeded(ticket.id(), ticket.lease().no(), "1", Review.HUMAN, null));
  }

  @Test
  @DisplayName("waits for what a job of a step adds, once and only where its design allows it")
  void jobsAdd() {
    String adder = bench.design("\"may_enqueue\": [\"" + bench.design + "\"]");
    long id =
        bench.workflow("\"a\": {\"design\": \"" + adder + "\"}," + bench.after("b", "a"), "{}");
    bench.advance();
    ClaimedTicket a = bench.claimOne(bench.job);
    String adds =
        HandlerResult.done(null)
            .adding(List.of(NewTicket.ofDesign(bench.design).withPayload("{\"x\": 1}")))
            .enqueues();
    Finish added = new Finish.Succeeded(a.id(), a.lease().no(), "\"own\"", Review.NONE, adds);
    assertThat(bench.finish(added)).isInstanceOf(FinishResult.Succeeded.class);
    assertThat(bench.finish(added)).isInstanceOf(FinishResult.Succeeded.class);
    bench.advance();
    ClaimedTicket more = bench.claimOne(bench.job);
    assertThat(more.ticket().payload()).isEqualTo("{\"x\": 1}");
    assertThat(database.number("SELECT parent_id FROM holdfast.tickets WHERE id = ?", more.id()))
        .isEqualTo(a.id());
    bench.finish(more, "\"other\"");
    bench.advance();
    bench.finish(bench.claimOne(bench.job), "2");
    bench.advance();
    assertThat(bench.result(id)).isEqualTo("{\"a\": \"own\", \"b\": 2}");

    bench.inbox.enqueue(NewTicket.ofDesign(bench.design));
    ClaimedTicket other = bench.claimOne(bench.job);
    assertThatThrownBy(
            () ->
                bench.finish(
                    new Finish.Succeeded(other.id(), other.lease().no(), null, Review.NONE, adds)))
        .hasMessageContaining("its design does not allow it to enqueue \"" + bench.design + "\"");
    bench.desk.cancel(other.id(), "carl", null);
    assertThat(
            bench.finish(
                new Finish.Succeeded(other.id(), other.lease().no(), null, Review.NONE, adds)))
        .isInstanceOf(FinishResult.Stale.class);
    assertThat(bench.claim(bench.job)).isEmpty();
  }

  @Test
  @DisplayName(
      "waits for what a rejected job of a step adds, where a success is enough and other items of"
          + " the step still run")
  void rejectedJobAdds() {
    String adder = bench.design("\"may_enqueue\": [\"" + bench.design + "\"]");
    String eager = bench.design("\"after\": \"success\"");
    long id =
        bench.workflow(
            "\"a\": {\"design\": \""
                + adder
                + "\", \"for_each\": \"[1, 2]\"},\"b\": {\"design\": \""
                + eager
                + "\", \"after\": [\"a\"]}",
            "{}");
    bench.advance();
    List<ClaimedTicket> items = bench.claim(bench.job);
    succeed(items.getFirst());
    bench.desk.reject(items.getFirst().id(), "ann", "add the rest");
    ClaimedTicket again = bench.claimOne(bench.job);
    String adds =
        HandlerResult.done(null).adding(List.of(NewTicket.ofDesign(bench.design))).enqueues();
    bench.finish(new Finish.Succeeded(again.id(), again.lease().no(), "1", Review.HUMAN, adds));
    succeed(items.getLast());
    bench.advance();
    assertThat(bench.steps(id)).containsEntry("b", "waiting");
    bench.finish(bench.claimOne(bench.job), "1");
    bench.advance();
    assertThat(bench.steps(id)).containsEntry("b", "ready");
  }

  @Test
  @DisplayName("a ticket without a design adds any, but not one that a program works")
  void addsWithoutDesign() {
    List<NewTicket> more = List.of(NewTicket.ofDesign(bench.design).withPayload("{\"x\": 2}"));
    String adds = HandlerResult.done(null).adding(more).enqueues();
    String kind = "free-" + bench.job;
    long id = bench.inbox.enqueue(NewTicket.ofKind(kind));
    ClaimedTicket free = bench.claimOne(kind);
    bench.finish(new Finish.Succeeded(free.id(), free.lease().no(), null, Review.NONE, adds));
    assertThat(bench.state(id)).isEqualTo("done");
    assertThat(bench.claimOne(bench.job).ticket().payload()).isEqualTo("{\"x\": 2}");

    bench.inbox.enqueue(NewTicket.ofKind("command"));
    ClaimedTicket program = bench.claimOne("command");
    assertThatThrownBy(
            () ->
                bench.finish(
                    new Finish.Succeeded(
                        program.id(), program.lease().no(), null, Review.NONE, adds)))
        .hasMessageContaining("it has no design that would allow it to enqueue");
  }
}
