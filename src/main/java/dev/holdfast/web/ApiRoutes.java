package dev.holdfast.web;

import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.List;

/** {@code /api/v1}: everything the console does, for programs. */
public final class ApiRoutes implements Routes {
  private final List<Routes> groups;
  private final CreateRoute create;

  /**
   * @param bulk shared with the pages, so that each shows what the other began
   */
  public ApiRoutes(WebPorts ports, BulkActions bulk) {
    this.create = new CreateRoute(ports);
    this.groups =
        List.of(
            new TicketRoutes(ports),
            new ActionRoutes(ports),
            new BulkRoutes(ports, bulk),
            new QueueRoutes(ports));
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.post(TicketRoutes.LIST, create, Role.OPERATOR);
    groups.forEach(group -> group.addTo(routes));
  }
}
