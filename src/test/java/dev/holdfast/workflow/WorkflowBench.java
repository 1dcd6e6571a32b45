package dev.holdfast.workflow;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Classifier;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.postgres.engine.PostgresWorkflowSteps;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.retry.HoldCause;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Review;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Works the tickets of workflows one by one, as a worker would, but when the test says. */
final class WorkflowBench implements AutoCloseable {
  final TicketDatabase database;
  final HikariDataSource pool;
  final PostgresTicketInbox inbox;
  final PostgresTicketDesk desk;
  final String job = "job-" + UUID.randomUUID();

  /** Of a design that says nothing, whose tickets the test finishes. */
  final String design;

  private final TestTickets tickets;
  private final WorkflowHandler handler;
  private final HumanHandler human = new HumanHandler();

  WorkflowBench(TicketDatabase database) {
    this.database = database;
    this.pool = database.pool(4);
    this.inbox = new PostgresTicketInbox(pool);
    this.desk = new PostgresTicketDesk(pool);
    this.tickets = new TestTickets(pool);
    this.handler = new WorkflowHandler(new PostgresWorkflowSteps(pool, "holdfast"), 1 << 20);
    this.design = design("");
  }

  /**
   * A step of that design.
   *
   * @param more keys of the step
   */
  String step(String name, String more) {
    return "\"%s\": {\"design\": \"%s\"%s}"
        .formatted(name, design, more.isEmpty() ? "" : ", " + more);
  }

  String after(String name, String... others) {
    return step(name, "\"after\": [\"" + String.join("\", \"", others) + "\"]");
  }

  /** A design of the test's own kind, whose tickets the test finishes. */
  String design(String more) {
    String name = "d-" + UUID.randomUUID();
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, ?, ?::jsonb)",
        name,
        job,
        "{" + more + "}");
    return name;
  }

  long workflow(String steps, String payload) {
    return inbox.enqueue(
        NewTicket.ofDesign(workflowDesign(steps)).withPayload(payload).withTitle("wf"));
  }

  String workflowDesign(String steps) {
    String name = "w-" + UUID.randomUUID();
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, 'workflow',"
            + " ?::jsonb)",
        name,
        "{\"steps\": {" + steps + "}}");
    return name;
  }

  List<ClaimedTicket> claim(String kind) {
    Claim claim =
        tickets
            .queue()
            .claim(
                new ClaimRequest(
                    "worker-1", Set.of(kind), Set.of(), 10_000, Duration.ofMinutes(5)));
    return claim.tickets();
  }

  /** As when all workers have died long ago: what they had is due again. */
  void rescue() {
    database.run("UPDATE holdfast.leases SET expires_at = now() - interval '1 second'");
    tickets.queue().rescue(100);
    database.run("UPDATE holdfast.deferred SET run_at = now()");
    database.run(
        "UPDATE holdfast.ticket_base b SET retry_after = d.run_at FROM holdfast.deferred d WHERE"
            + " b.id = d.id");
  }

  ClaimedTicket claimOne(String kind) {
    List<ClaimedTicket> claimed = claim(kind);
    if (claimed.size() != 1) {
      throw new AssertionError("claimed " + claimed);
    }
    return claimed.getFirst();
  }

  Finish decide(ClaimedTicket claimed) {
    TicketContext context =
        new TicketContext() {
          @Override
          public ClaimedTicket claimed() {
            return claimed;
          }

          @Override
          public boolean isCancelled() {
            return false;
          }
        };
    HandlerResult result =
        claimed.ticket().kind().equals("human") ? human.handle(context) : handler.handle(context);
    long no = claimed.lease().no();
    return switch (result) {
      case HandlerResult.Advanced each -> new Finish.Advanced(claimed.id(), no, each.plan());
      case HandlerResult.Succeeded each ->
          new Finish.Succeeded(claimed.id(), no, each.result(), each.review(), null);
      case HandlerResult.Held each ->
          new Finish.Failed(
              claimed.id(),
              no,
              Classifier.standard().classify(each.error()),
              new RetryDecision.Hold(HoldCause.HANDLER, each.reason()));
      case HandlerResult.Parked each ->
          new Finish.Parked(claimed.id(), no, each.reason(), each.actions(), each.details());
      default -> throw new AssertionError(result);
    };
  }

  FinishResult finish(Finish finish) {
    return tickets.queue().finish(List.of(finish), List.of(finish.leaseNo())).getFirst();
  }

  void finishAll(List<ClaimedTicket> claimed, @Nullable String result) {
    tickets
        .queue()
        .finish(
            claimed.stream()
                .map(
                    each ->
                        new Finish.Succeeded(
                            each.id(), each.lease().no(), result, Review.NONE, null))
                .toList(),
            claimed.stream().map(each -> each.lease().no()).distinct().toList());
  }

  void finish(ClaimedTicket ticket, @Nullable String result) {
    finishAll(List.of(ticket), result);
  }

  /** Works what is ready of workflows and of people's steps, until nothing is. */
  void advance() {
    for (String kind : List.of("workflow", "human", "workflow")) {
      List<ClaimedTicket> claimed = claim(kind);
      while (!claimed.isEmpty()) {
        claimed.forEach(each -> finish(decide(each)));
        claimed = claim(kind);
      }
    }
  }

  String state(long id) {
    return database.state(id);
  }

  String held(long id) {
    return database.value("SELECT hold_reason FROM holdfast.tickets WHERE id = ?", id);
  }

  String result(long id) {
    return database.value("SELECT result FROM holdfast.tickets WHERE id = ?", id);
  }

  /** The states of its steps by name. */
  Map<String, String> steps(long workflow) {
    Map<String, String> states = new java.util.TreeMap<>();
    database
        .column(
            "SELECT step || '=' || state FROM holdfast.workflow_steps WHERE workflow_id = ?",
            workflow)
        .forEach(each -> states.put(each.split("=", 2)[0], each.split("=", 2)[1]));
    return states;
  }

  long ticketOf(long workflow, String step) {
    return database.number(
        "SELECT first_ticket_id FROM holdfast.workflow_steps WHERE workflow_id = ? AND step = ?",
        workflow,
        step);
  }

  @Override
  public void close() {
    pool.close();
  }

  ClaimedTicket of(List<ClaimedTicket> all, long workflow, String step) {
    long id = ticketOf(workflow, step);
    return all.stream().filter(each -> each.id() == id).findFirst().orElseThrow();
  }

  void release(long id) {
    desk.release(id, "rita", null, TicketDesk.Retries.RESET);
  }
}
