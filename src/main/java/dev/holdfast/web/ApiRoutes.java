package dev.holdfast.web;

import io.javalin.router.JavalinDefaultRoutingApi;

/** {@code /api/v1}: everything the console does, for programs. */
public final class ApiRoutes implements Routes {
  private final WebPorts ports;

  public ApiRoutes(WebPorts ports) {
    this.ports = ports;
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.post(AbortRetryRoute.PATH, new AbortRetryRoute(ports.desk()), Role.OPERATOR);
  }
}
