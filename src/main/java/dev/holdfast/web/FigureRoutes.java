package dev.holdfast.web;

import dev.holdfast.queue.view.FigureReader;
import dev.holdfast.queue.view.FigureWindow;
import dev.holdfast.queue.view.Figures;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The API's figures over time, as workers have counted them. */
record FigureRoutes(FigureReader reader) implements Routes {
  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get("/api/v1/figures", this::figures, Role.VIEWER);
  }

  private void figures(Context context) {
    Requests.requireKnown(context, Set.of("window"));
    String wanted = context.queryParam("window");
    FigureWindow window =
        FigureWindow.of(wanted == null ? FigureWindow.DAY.wireName() : wanted)
            .orElseThrow(() -> new Refused(422, "window: 1h, 24h or 7d"));
    Answers.json(context, 200, json(reader.figures(window)));
  }

  private static Map<String, Object> json(Figures figures) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("window", figures.window().wireName());
    answer.put("span_minutes", figures.window().spanMinutes());
    answer.put("from", figures.from());
    answer.put("counted_until", figures.countedUntil());
    answer.put("events", figures.events());
    answer.put("queues", figures.flow());
    answer.put("models", figures.models());
    return answer;
  }
}
