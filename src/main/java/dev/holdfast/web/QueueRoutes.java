package dev.holdfast.web;

import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.Map;
import java.util.function.BiConsumer;

/** Queues with pause and resume, workers, designs, and all of them together: stats. */
record QueueRoutes(WebPorts ports) implements Routes {
  private static final String QUEUES = "/api/v1/queues";
  private static final int GROUPS = 300;

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get(QUEUES, Requests.plain(this::queues), Role.VIEWER);
    routes.post(
        QUEUES + "/{queue}/pause", Requests.plain(change(ports.desk()::pauseQueue)), Role.OPERATOR);
    routes.post(
        QUEUES + "/{queue}/resume",
        Requests.plain(change(ports.desk()::resumeQueue)),
        Role.OPERATOR);
    routes.get("/api/v1/workers", Requests.plain(this::workers), Role.VIEWER);
    routes.get("/api/v1/stats", Requests.plain(this::stats), Role.VIEWER);
    routes.get("/api/v1/designs", Requests.plain(this::designs), Role.VIEWER);
    routes.get("/api/v1/designs/<name>", Requests.plain(this::design), Role.VIEWER);
  }

  private void queues(Context context) {
    Answers.json(context, 200, Map.of("queues", ports.tickets().queues()));
  }

  private io.javalin.http.Handler change(BiConsumer<String, String> action) {
    return context -> {
      String queue = context.pathParam("queue");
      String by = Requests.body(context, ActionRoutes.Nothing.class).by();
      action.accept(queue, Visitor.of(context).actor(by));
      Answers.json(
          context,
          200,
          ports.tickets().queues().stream().filter(each -> each.queue().equals(queue)).findFirst());
    };
  }

  private void workers(Context context) {
    Answers.json(context, 200, Map.of("workers", ports.tickets().workers()));
  }

  private void stats(Context context) {
    Answers.json(
        context,
        200,
        Map.of(
            "queues", ports.tickets().queues(),
            "workers", ports.tickets().workers(),
            "designs", ports.tickets().designs(GROUPS),
            "error_groups", ports.tickets().errorGroups(GROUPS)));
  }

  private void designs(Context context) {
    Answers.json(context, 200, Map.of("designs", ports.designs().list()));
  }

  private void design(Context context) {
    String name = context.pathParam("name");
    Answers.json(
        context,
        200,
        ports
            .designs()
            .find(name)
            .orElseThrow(() -> new Refused(404, "there is no such design; see /api/v1/designs")));
  }
}
