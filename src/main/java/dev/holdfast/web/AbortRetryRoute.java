package dev.holdfast.web;

import dev.holdfast.queue.TicketDesk;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import java.util.Map;

/**
 * {@code POST /api/v1/tickets/{id}/abort-retry}: orders the session of a running ticket to end the
 * retry that it waits in (D34). Answers 202 at once; whether it was taken is seen in the ticket's
 * events.
 */
final class AbortRetryRoute implements Handler {
  static final String PATH = "/api/v1/tickets/{id}/abort-retry";

  private final TicketDesk desk;

  AbortRetryRoute(TicketDesk desk) {
    this.desk = desk;
  }

  @Override
  public void handle(Context context) {
    long id = Requests.id(context);
    desk.abortRetry(id, Visitor.of(context).actor(context.queryParam("by")));
    context
        .status(202)
        .contentType("application/json")
        .result(Bodies.json(Map.of("id", id, "status", "ordered")));
  }
}
