package dev.holdfast.web;

import dev.holdfast.batch.Batch;
import dev.holdfast.batch.BatchDesk;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox;
import dev.holdfast.queue.TicketInbox.Batched;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/batches}: many tickets at once, and what {@code holdfast batch} does. */
final class BatchRoutes implements Routes {
  private static final String LIST = "/api/v1/batches";
  private static final String ONE = LIST + "/{id}";
  private static final int MOST_TICKETS = 10_000;

  private final TicketInbox inbox;
  private final BatchDesk desk;

  BatchRoutes(WebPorts ports) {
    this.inbox = ports.inbox();
    this.desk = ports.batches();
  }

  /**
   * Many tickets.
   *
   * @param tickets each as in {@code POST /api/v1/tickets}
   */
  record Body(
      @Nullable String title, @Nullable List<CreateRoute.Body> tickets, @Nullable String by) {}

  /** Why, and who. */
  record Reason(@Nullable String reason, @Nullable String by) {}

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.post(LIST, this::create, Role.OPERATOR);
    routes.get(LIST, this::list, Role.VIEWER);
    routes.get(ONE, this::show, Role.VIEWER);
    routes.post(ONE + "/hold", this::hold, Role.OPERATOR);
    routes.post(ONE + "/cancel", this::cancel, Role.OPERATOR);
  }

  private void create(Context context) {
    Body body = Requests.body(context, Body.class);
    List<CreateRoute.Body> given = body.tickets;
    if (given == null || given.isEmpty() || given.size() > MOST_TICKETS) {
      throw new Refused(422, "tickets: from 1 to " + MOST_TICKETS + " tickets");
    }
    List<NewTicket> tickets = new ArrayList<>();
    for (CreateRoute.@Nullable Body each : given) {
      if (each == null || each.by() != null) {
        throw new Refused(
            422,
            "ticket "
                + (tickets.size() + 1)
                + ": an object without \"by\", which stands beside tickets");
      }
      tickets.add(CreateRoute.ticket(each));
    }
    Batched batch =
        inbox.enqueueBatch(tickets.iterator(), Visitor.of(context).actor(body.by), body.title);
    context.header("Location", LIST + "/" + batch.batchId());
    Answers.json(context, 201, batch);
  }

  private void list(Context context) {
    Requests.requireKnown(context, Set.of("limit", "before"));
    String before = Requests.text(context, "before");
    List<Batch> batches =
        desk.list(
            Requests.limit(Requests.text(context, "limit")),
            before == null ? null : Requests.id(before));
    Answers.json(context, 200, Map.of("batches", batches));
  }

  private void show(Context context) {
    Answers.json(context, 200, desk.find(Requests.id(context)));
  }

  private void hold(Context context) {
    Reason body = Requests.body(context, Reason.class);
    String actor = Visitor.of(context).actor(body.by);
    String reason = body.reason == null ? "held by " + actor : body.reason;
    Answers.json(context, 200, Map.of("held", desk.hold(Requests.id(context), actor, reason)));
  }

  private void cancel(Context context) {
    Reason body = Requests.body(context, Reason.class);
    String actor = Visitor.of(context).actor(body.by);
    long cancelled = desk.cancel(Requests.id(context), actor, body.reason);
    Answers.json(context, 200, Map.of("cancelled", cancelled));
  }
}
