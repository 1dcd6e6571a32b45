package dev.holdfast.web;

import dev.holdfast.queue.NewTicket;
import dev.holdfast.schedule.CatchUp;
import dev.holdfast.schedule.NewSchedule;
import dev.holdfast.schedule.Overlap;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleDesk;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code /api/v1/schedules}: what {@code holdfast schedule} does. */
final class ScheduleRoutes implements Routes {
  private static final String LIST = "/api/v1/schedules";
  private static final String ONE = LIST + "/{name}";
  private static final int TIMES = 10;

  private final WebPorts ports;
  private final ScheduleDesk desk;

  ScheduleRoutes(WebPorts ports) {
    this.ports = ports;
    this.desk = ports.schedules();
  }

  /** The fields as {@code holdfast schedule put} has them. */
  record Body(
      @Nullable String cron,
      @Nullable String every,
      @Nullable String zone,
      @Nullable String design,
      @Nullable String kind,
      @Nullable String title,
      @Nullable JsonNode payload,
      @Nullable String queue,
      @Nullable Integer priority,
      @Nullable CatchUp catchUp,
      @Nullable Overlap overlap,
      @Nullable String by) {}

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get(LIST, Requests.plain(this::list), Role.VIEWER);
    routes.get(ONE, Requests.plain(this::show), Role.VIEWER);
    routes.put(ONE, Requests.plain(this::put), Role.OPERATOR);
    routes.delete(ONE, Requests.plain(this::delete), Role.OPERATOR);
    routes.post(ONE + "/pause", Requests.plain(change(desk::pause)), Role.OPERATOR);
    routes.post(ONE + "/resume", Requests.plain(change(desk::resume)), Role.OPERATOR);
    routes.post(ONE + "/run", Requests.plain(this::run), Role.OPERATOR);
  }

  private void list(Context context) {
    Answers.json(context, 200, Map.of("schedules", desk.list()));
  }

  private void show(Context context) {
    Answers.json(context, 200, withTimes(find(context)));
  }

  private Schedule find(Context context) {
    return desk.find(context.pathParam("name"))
        .orElseThrow(() -> new Refused(404, "there is no such schedule; see " + LIST));
  }

  private ObjectNode withTimes(Schedule schedule) {
    List<Instant> upcoming = schedule.upcoming(ports.tickets().now(), TIMES);
    ObjectNode node = (ObjectNode) Bodies.tree(Bodies.json(schedule));
    node.set("upcoming", Bodies.tree(Bodies.json(upcoming)));
    return node;
  }

  private void put(Context context) {
    Body body = Requests.body(context, Body.class);
    NewTicket ticket =
        NewTicket.of(body.design, body.kind)
            .withTitle(body.title)
            .withPayload(body.payload == null ? "{}" : Bodies.json(body.payload))
            .withQueue(body.queue == null ? "default" : body.queue)
            .withPriority(body.priority == null ? 0 : body.priority);
    NewSchedule schedule =
        new NewSchedule(
            context.pathParam("name"),
            body.cron,
            Requests.duration("every", body.every),
            body.zone == null ? "UTC" : body.zone,
            ticket,
            body.catchUp == null ? CatchUp.LAST : body.catchUp,
            body.overlap == null ? Overlap.ALLOW : body.overlap);
    Answers.json(context, 200, withTimes(desk.put(schedule, Visitor.of(context).actor(body.by))));
  }

  private void delete(Context context) {
    desk.delete(context.pathParam("name"), Visitor.of(context).actor(null));
    context.status(204);
  }

  private Handler change(BiConsumer<String, String> action) {
    return context -> {
      action.accept(context.pathParam("name"), actor(context));
      show(context);
    };
  }

  private void run(Context context) {
    String name = context.pathParam("name");
    String actor = actor(context);
    Answers.once(
        context,
        ports,
        201,
        one -> Map.of("id", one.schedules().run(name, actor)),
        Answers.location(context, TicketRoutes.LIST, "id"));
  }

  private static String actor(Context context) {
    String by = Requests.body(context, ActionRoutes.Nothing.class).by();
    return Visitor.of(context).actor(by);
  }
}
