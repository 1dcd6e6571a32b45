package dev.holdfast.web;

import dev.holdfast.queue.TicketDesk;
import io.javalin.Javalin;
import io.javalin.http.Context;
import io.javalin.util.JavalinBindException;
import io.javalin.util.JavalinLogger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A worker's HTTP port: {@code /health/live}, {@code /health/ready}, {@code /metrics} and {@code
 * /api/v1/tickets/ID/abort-retry}. Handlers run on virtual threads.
 */
public final class WorkerServer implements AutoCloseable {
  private final Javalin javalin;

  /**
   * What is answered.
   *
   * @param problem why the worker does not claim just now; empty while it does
   * @param metrics the scrape in Prometheus' text format
   */
  public record Answers(Supplier<Optional<String>> problem, Supplier<String> metrics) {}

  /**
   * What people may do over HTTP.
   *
   * @param operatorTokens the secrets of those who may
   * @param open whether no tokens are configured at all, so that whoever reaches the port may
   */
  public record Access(TicketDesk desk, List<String> operatorTokens, boolean open) {
    public Access {
      operatorTokens = List.copyOf(operatorTokens);
    }
  }

  private WorkerServer(Javalin javalin) {
    this.javalin = javalin;
  }

  /**
   * @param host loopback unless asked otherwise
   * @param port 0 takes a free one
   * @throws PortTakenException if somebody else listens there
   */
  public static WorkerServer start(String host, int port, Answers answers, Access access) {
    Javalin javalin =
        Javalin.create(
            config -> {
              config.concurrency.useVirtualThreads = true;
              config.startup.showJavalinBanner = false;
              config.startup.showOldJavalinVersionWarning = false;
              config.startup.startupWatcherEnabled = false;
              config.routes.get(
                  "/health/live", context -> json(context, 200, "up", Optional.empty()));
              config.routes.get(
                  "/health/ready", context -> ready(context, answers.problem().get()));
              config.routes.get("/metrics", context -> metrics(context, answers.metrics().get()));
              config.routes.post(
                  AbortRetryRoute.PATH,
                  new AbortRetryRoute(
                      access.desk(), new Operators(access.operatorTokens(), access.open())));
            });
    // It would log what the exception says.
    JavalinLogger.enabled = false;
    try {
      return new WorkerServer(javalin.start(host, port));
    } catch (JavalinBindException e) {
      throw new PortTakenException(host, port, e);
    } finally {
      JavalinLogger.enabled = true;
    }
  }

  public int port() {
    return javalin.port();
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

  @Override
  public void close() {
    javalin.stop();
  }
}
