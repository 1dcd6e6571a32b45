package dev.holdfast.web;

import dev.holdfast.queue.TicketInbox.Named;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** {@code POST /api/v1/graphs}: tickets that wait for each other by name, all or none. */
record GraphRoute(WebPorts ports) implements Handler {
  static final String PATH = "/api/v1/graphs";

  record Body(@Nullable List<CreateRoute.Body> tickets) {}

  @Override
  public void handle(Context context) {
    Body body = Requests.body(context, Body.class);
    if (body.tickets == null || body.tickets.isEmpty()) {
      throw new Refused(422, "tickets: a list with at least one ticket");
    }
    List<Named> graph = graph(body.tickets);
    Answers.once(context, ports, 201, one -> answer(graph, one.inbox().enqueueGraph(graph)));
  }

  private static ObjectNode answer(List<Named> graph, List<Long> ids) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    ObjectNode names = answer.putObject("names");
    for (int i = 0; i < ids.size(); i++) {
      String name = graph.get(i).name();
      if (name != null) {
        names.put(name, ids.get(i));
      }
    }
    ids.forEach(answer.putArray("ids")::add);
    return answer;
  }

  /** Returns the graph of the tickets of a body. */
  static List<Named> graph(List<CreateRoute.Body> tickets) {
    List<Named> graph = new ArrayList<>();
    for (int i = 0; i < tickets.size(); i++) {
      CreateRoute.@Nullable Body each = tickets.get(i);
      if (each == null || each.by() != null) {
        throw new Refused(
            422, "ticket " + (i + 1) + ": an object without \"by\"; who enqueues is the caller");
      }
      CreateRoute.After after = CreateRoute.After.of(each.after(), each.onCancelled());
      graph.add(
          new Named(
              each.name(),
              CreateRoute.ticket(
                  each, new CreateRoute.After(after.ids(), List.of(), after.following())),
              after.names()));
    }
    return graph;
  }
}
