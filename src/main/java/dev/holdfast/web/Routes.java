package dev.holdfast.web;

import io.javalin.router.JavalinDefaultRoutingApi;

/**
 * A group of routes of one port: {@code routes.get("/path", handler, Role.VIEWER)}. A handler that
 * runs has a {@link Visitor} who may do it. It throws what it cannot answer: exceptions of the
 * ports and {@link Refused} become problem documents, or pages where a browser asks.
 */
@FunctionalInterface
public interface Routes {
  void addTo(JavalinDefaultRoutingApi routes);

  /** Returns true if there is something that only those who have logged in may see. */
  default boolean needLogin() {
    return true;
  }
}
