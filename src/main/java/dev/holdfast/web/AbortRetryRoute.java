package dev.holdfast.web;

import dev.holdfast.queue.QueueUnavailableException;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.TicketNotFoundException;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import java.util.Map;

/**
 * {@code POST /api/v1/tickets/{id}/abort-retry}: orders the session of a running ticket to end the
 * retry that it waits in (D34). Answers 202 at once; whether it was taken is seen in the ticket's
 * events. Who orders it is {@code ?by=NAME}, "api" without.
 */
final class AbortRetryRoute implements Handler {
  static final String PATH = "/api/v1/tickets/{id}/abort-retry";
  private static final int LONGEST_NAME = 100;

  private final TicketDesk desk;
  private final Operators operators;

  AbortRetryRoute(TicketDesk desk, Operators operators) {
    this.desk = desk;
    this.operators = operators;
  }

  @Override
  public void handle(Context context) {
    Problem refusal = operators.refusal(context);
    if (refusal != null) {
      refusal.answer(context);
      return;
    }
    try {
      long id = Long.parseLong(context.pathParam("id"));
      desk.abortRetry(id, actor(context));
      context
          .status(202)
          .contentType("application/json")
          .result(Bodies.json(Map.of("id", id, "status", "ordered")));
    } catch (NumberFormatException e) {
      new Problem(400, "Bad Request", "a ticket's id is a whole number").answer(context);
    } catch (HoldfastException e) {
      problem(e).answer(context);
    }
  }

  private static String actor(Context context) {
    String by = context.queryParam("by");
    return by == null || by.isBlank()
        ? "api"
        : by.strip().substring(0, Math.min(LONGEST_NAME, by.strip().length()));
  }

  private static Problem problem(HoldfastException e) {
    String detail = String.valueOf(e.getMessage());
    return switch (e) {
      case TicketNotFoundException _ -> new Problem(404, "Not Found", detail);
      case IllegalTransitionException _ -> new Problem(409, "Conflict", detail);
      case QueueUnavailableException _ -> new Problem(503, "Service Unavailable", detail);
      default -> new Problem(422, "Unprocessable Content", detail);
    };
  }
}
