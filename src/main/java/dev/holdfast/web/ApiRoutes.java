package dev.holdfast.web;

import dev.holdfast.queue.Channel;
import dev.holdfast.web.access.Role;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.time.Duration;
import java.util.List;

/** {@code /api/v1}: everything the console does, for programs. */
public final class ApiRoutes implements Routes {
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  private final List<Routes> groups;
  private final CreateRoute create;
  private final GraphRoute graph;

  /**
   * @param bulk closed by the caller
   * @param events closed by the caller, before the server: those who still watch would hold that up
   */
  public ApiRoutes(WebPorts given, BulkActions bulk, EventHub events) {
    WebPorts ports = given.through(Channel.API);
    this.create = new CreateRoute(ports);
    this.graph = new GraphRoute(ports);
    this.groups =
        List.of(
            new TicketRoutes(ports),
            new ActionRoutes(ports),
            new BulkRoutes(ports, bulk),
            new QueueRoutes(ports),
            new FigureRoutes(ports.figures()),
            new ScheduleRoutes(ports),
            new BulkRoutes.Batches(ports),
            new BulkRoutes.Batches.Releases(ports),
            new LimitRoutes(ports.limits()),
            new EventRoutes(events, HEARTBEAT),
            new OpenApiRoute());
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.post(TicketRoutes.LIST, Requests.plain(create), Role.OPERATOR);
    routes.post(GraphRoute.PATH, Requests.plain(graph), Role.OPERATOR);
    groups.forEach(group -> group.addTo(routes));
  }
}
