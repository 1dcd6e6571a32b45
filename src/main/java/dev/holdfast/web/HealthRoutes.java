package dev.holdfast.web;

import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * {@code /health/live}, {@code /health/ready} and {@code /metrics}, for anyone.
 *
 * @param problem why the process does not do its work just now; empty while it does
 * @param metrics the scrape in Prometheus' text format
 */
public record HealthRoutes(Supplier<Optional<String>> problem, Supplier<String> metrics)
    implements Routes {
  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get("/health/live", context -> json(context, 200, "up", Optional.empty()), Role.ANYONE);
    routes.get("/health/ready", context -> ready(context, problem.get()), Role.ANYONE);
    routes.get("/metrics", context -> metrics(context, metrics.get()), Role.ANYONE);
  }

  @Override
  public boolean needLogin() {
    return false;
  }

  private static void ready(Context context, Optional<String> problem) {
    json(
        context, problem.isEmpty() ? 200 : 503, problem.isEmpty() ? "ready" : "not_ready", problem);
  }

  private static void json(Context context, int status, String word, Optional<String> problem) {
    Map<String, String> body =
        problem.isEmpty()
            ? Map.of("status", word)
            : Map.of("status", word, "problem", problem.get());
    context.status(status).contentType("application/json").result(Bodies.json(body));
  }

  private static void metrics(Context context, String scrape) {
    context.contentType("text/plain; version=0.0.4; charset=utf-8").result(scrape);
  }
}
