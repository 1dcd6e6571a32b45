package dev.holdfast.app;

import dev.holdfast.Holdfast;
import dev.holdfast.WorkerBuilder;
import dev.holdfast.config.ConfigException;
import dev.holdfast.config.Settings;
import dev.holdfast.failure.Classifier;
import dev.holdfast.handler.agent.WorkspaceSweep;
import dev.holdfast.handler.command.CommandHandler;
import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.engine.PostgresOutputLog;
import dev.holdfast.postgres.engine.PostgresWorkflowSteps;
import dev.holdfast.postgres.inbox.PostgresEntryLimits;
import dev.holdfast.postgres.read.PostgresEndedTickets;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.postgres.read.PostgresTraceParents;
import dev.holdfast.postgres.schedule.PostgresScheduleTicks;
import dev.holdfast.process.LeftPrograms;
import dev.holdfast.process.LeftStreams;
import dev.holdfast.queue.TicketListener;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.schedule.ScheduleLoop;
import dev.holdfast.secret.Secrets;
import dev.holdfast.telemetry.TicketMetrics;
import dev.holdfast.ticket.EndedTickets;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.tool.sandbox.SandboxState;
import dev.holdfast.tool.sandbox.Sandboxes;
import dev.holdfast.web.HealthRoutes;
import dev.holdfast.worker.Worker;
import dev.holdfast.worker.WorkerIdentity;
import dev.holdfast.worker.output.OutputCollector;
import dev.holdfast.workflow.HumanHandler;
import dev.holdfast.workflow.WorkflowHandler;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A worker with its HTTP port on one database, as {@code holdfast worker} and {@code holdfast demo}
 * run it.
 */
final class WorkerProcess implements AutoCloseable {
  private final WorkerIdentity identity = WorkerIdentity.create();
  private final StartedParts parts = new StartedParts();
  private final Pools pools;
  private final DataSource tickets;
  private final Sandboxes sandboxes;
  private final Agents agents;
  private final WebSurface web;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  private final TicketMetrics ticketMetrics = new TicketMetrics(registry);

  private final Secrets secrets;

  private final Traces traces;

  /** The worker; null until it claims. */
  private volatile @Nullable Worker worker;

  private volatile boolean draining;

  private WorkerProcess(Settings configured, Database database, @Nullable Path home) {
    // This does not use a pool, which tries again for seconds before it says that the password is
    // wrong.
    Migrations.requireCurrent(database.impatient(Pools.FIRST_ANSWER), "holdfast");
    this.sandboxes = WorkerSandboxes.of(configured);
    try {
      this.traces = parts.add(Traces.of(System.getenv(), Traces.OF_A_WORKER), Traces::close);
      this.pools = parts.add(new Pools(database, configured.web().limits()), Pools::close);
      this.tickets = pools.openForTickets();
      this.web = parts.add(WebSurface.bind(configured, home, traces), WebSurface::close);
      Settings settings = web.settings();
      this.secrets = settings.secrets();
      this.agents =
          parts.add(
              Agents.of(settings, sandboxes, registry, tickets, traces, identity.id()),
              Agents::close);
    } catch (RuntimeException | Error e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  /**
   * Answers on its port and claims from now on, in this order: the programs of a backlog take all
   * threads that a tight limit leaves, and a worker whose HTTP server finds none must not have
   * claimed anything.
   *
   * @param listener hears of every change besides the metrics
   * @param home where the token of the API is kept, if none is configured; null for health and
   *     metrics alone, without the API and the console
   * @throws HoldfastException if the database, the port or a thread is not available; the message
   *     says what to do
   */
  static WorkerProcess start(
      Settings settings, Database database, TicketListener listener, @Nullable Path home) {
    try {
      WorkerProcess process = new WorkerProcess(settings, database, home);
      process.work(database, listener, home != null);
      return process;
    } catch (OutOfMemoryError e) {
      if (!String.valueOf(e.getMessage()).contains("native thread")) {
        throw e;
      }
      throw new HoldfastException(
          "this worker has not the threads that its start needs ("
              + e.getMessage()
              + "): raise its limit of processes (ulimit -u, pids.max)",
          e);
    }
  }

  private void work(Database database, TicketListener listener, boolean console) {
    try {
      serve(console);
      worker = parts.add(startWorker(web.settings(), database, listener), Worker::close);
      parts.add(
          ScheduleLoop.start(new PostgresScheduleTicks(tickets, "holdfast"), Sleeper.REAL),
          ScheduleLoop::close);
    } catch (RuntimeException | Error e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  private void serve(boolean console) {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    TicketMetrics.watchReady(registry, () -> problem().isEmpty());
    QueueScrape metrics =
        new QueueScrape(registry, new PostgresTicketReader(pools.scrapes()), System::nanoTime);
    Supplier<String> scrape =
        () -> {
          ticketMetrics.update();
          return secrets.redact(metrics.get());
        };
    web.serve(pools, new HealthRoutes(this::problem, scrape), console, () -> sandbox().sentence());
  }

  private static CommandHandler commands(Settings settings, OutputCollector outputs) {
    try {
      return new CommandHandler(settings.command().withEnvironment(System.getenv()), outputs);
    } catch (IllegalArgumentException e) {
      throw new ConfigException("handlers.command.user: " + e.getMessage(), e);
    }
  }

  private Worker startWorker(Settings settings, Database database, TicketListener listener) {
    new PostgresEntryLimits(tickets, "holdfast").set(OneShot.limits(settings));
    // It is closed after the worker, because it still writes the output of the worker's last
    // programs.
    OutputCollector outputs =
        parts.add(
            new OutputCollector(new PostgresOutputLog(tickets, "holdfast"), secrets),
            OutputCollector::close);
    WorkerBuilder builder =
        Holdfast.worker(tickets)
            .identity(identity)
            .heartbeatOn(pools.openForHeartbeats())
            .handler("command", commands(settings, outputs))
            .handler("agent", agents.handler())
            .handler(
                "workflow",
                new WorkflowHandler(
                    new PostgresWorkflowSteps(tickets, "holdfast"),
                    OneShot.limits(settings).bytes()))
            .handler(HumanHandler.KIND, new HumanHandler())
            .handler(
                "repair",
                Repairs.handler(settings, agents, sandboxes, registry, traces.steps(), tickets))
            .settings(settings.worker())
            .secrets(settings.secrets())
            .retry(settings.retry())
            .classifier(Classifier.standard().withRules(settings.classifierRules()))
            .tracing(traces.attempts(new PostgresTraceParents(tickets, "holdfast")))
            .listener(ticketMetrics)
            .listener(listener)
            .listenOn(listening(settings, database))
            .whenProvidersChange(agents::providersChanged)
            .whenPruned(
                () -> {
                  workspaceSweeps(settings).forEach(WorkspaceSweep::run);
                  LeftStreams.ofThisMachine().delete();
                });
    // These programs end first, because they may still work at what this worker claims.
    LeftPrograms.end(settings.command().killGrace());
    return builder.start();
  }

  /**
   * Returns the sweeps of workspaces. An attempt at a command deletes its own directory, unless its
   * worker is killed.
   */
  private List<WorkspaceSweep> workspaceSweeps(Settings settings) {
    EndedTickets ended = new PostgresEndedTickets(tickets, "holdfast");
    return List.of(
        new WorkspaceSweep(
            WorkspaceSweep.Of.AGENTS,
            settings.agents().handler().workspaceRoot(),
            settings.workspaceRetention(),
            ended,
            InstantSource.system()),
        new WorkspaceSweep(
            WorkspaceSweep.Of.COMMANDS,
            settings.command().workspaceRoot(),
            Duration.ofHours(1),
            ended,
            InstantSource.system()));
  }

  /** Returns connections outside the pool: one is kept for as long as the worker lives. */
  private static DataSource listening(Settings settings, Database database) {
    String listenUrl = settings.database().listenUrl();
    Database direct = listenUrl == null ? database : database.at(listenUrl);
    return direct.withApplicationName("holdfast-listen").listening();
  }

  private Optional<String> problem() {
    if (draining) {
      return Optional.of("draining");
    }
    Worker claims = worker;
    if (claims == null) {
      return Optional.of("starting");
    }
    return claims.healthy()
        ? claims.trouble()
        : Optional.of("heartbeats to the database fail; the worker's log says why");
  }

  /** Returns the confinement of tools' programs; waits until it is known. */
  SandboxState sandbox() {
    return sandboxes.state();
  }

  int port() {
    return web.port();
  }

  /** Returns the address under which the process reaches its own {@code /health/live}. */
  URI live() {
    return web.live();
  }

  /** Returns the address that a browser begins with, once the console is served. */
  String entrance() {
    return web.entrance();
  }

  /** Returns true if the token of this start is in its file, for those who use the API. */
  boolean tokenIsKept() {
    return web.tokenIsKept();
  }

  String workerId() {
    return identity.id();
  }

  /** Drains, then stops the rest. Health answers "draining" meanwhile. */
  @Override
  public void close() {
    draining = true;
    parts.close();
  }
}
