package dev.holdfast.web;

import dev.holdfast.queue.DesignStore;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.Map;
import java.util.function.BiConsumer;

/** Queues with pause and resume, workers, designs, and all of it in one: stats. */
final class QueueRoutes implements Routes {
  private static final String QUEUES = "/api/v1/queues";
  private static final int GROUPS = 300;

  private final TicketReader tickets;
  private final TicketDesk desk;
  private final DesignStore designs;

  QueueRoutes(WebPorts ports) {
    this.tickets = ports.tickets();
    this.desk = ports.desk();
    this.designs = ports.designs();
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get(QUEUES, this::queues, Role.VIEWER);
    routes.post(QUEUES + "/{queue}/pause", change(desk::pauseQueue), Role.OPERATOR);
    routes.post(QUEUES + "/{queue}/resume", change(desk::resumeQueue), Role.OPERATOR);
    routes.get("/api/v1/workers", this::workers, Role.VIEWER);
    routes.get("/api/v1/stats", this::stats, Role.VIEWER);
    routes.get("/api/v1/designs", this::designs, Role.VIEWER);
    routes.get("/api/v1/designs/<name>", this::design, Role.VIEWER);
  }

  private void queues(Context context) {
    Answers.json(context, 200, Map.of("queues", tickets.queues()));
  }

  private io.javalin.http.Handler change(BiConsumer<String, String> action) {
    return context -> {
      String queue = context.pathParam("queue");
      String by = Requests.body(context, ActionRoutes.Nothing.class).by();
      action.accept(queue, Visitor.of(context).actor(by));
      Answers.json(
          context,
          200,
          tickets.queues().stream().filter(each -> each.queue().equals(queue)).findFirst());
    };
  }

  private void workers(Context context) {
    Answers.json(context, 200, Map.of("workers", tickets.workers()));
  }

  private void stats(Context context) {
    Answers.json(
        context,
        200,
        Map.of(
            "queues", tickets.queues(),
            "workers", tickets.workers(),
            "designs", tickets.designs(GROUPS),
            "error_groups", tickets.errorGroups(GROUPS)));
  }

  private void designs(Context context) {
    Answers.json(context, 200, Map.of("designs", designs.list()));
  }

  private void design(Context context) {
    String name = context.pathParam("name");
    Answers.json(
        context,
        200,
        designs
            .find(name)
            .orElseThrow(() -> new Refused(404, "there is no such design; see /api/v1/designs")));
  }
}
