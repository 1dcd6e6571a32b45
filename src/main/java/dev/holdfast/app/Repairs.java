package dev.holdfast.app;

import dev.holdfast.config.Settings;
import dev.holdfast.handler.repair.RepairHandler;
import dev.holdfast.handler.repair.RepairPorts;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.postgres.session.PostgresAllowanceStore;
import dev.holdfast.postgres.session.PostgresJournalStore;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TimelineEntry;
import dev.holdfast.repair.GitRepairRepository;
import dev.holdfast.repair.ModelPorts;
import dev.holdfast.repair.git.TicketRepositories;
import dev.holdfast.repair.trace.Trace.Steps;
import dev.holdfast.repair.verify.Verifier;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.session.event.EventSink;
import dev.holdfast.telemetry.ModelMetrics;
import dev.holdfast.telemetry.RepairMetrics;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.git.GitProgram;
import dev.holdfast.tool.sandbox.Sandboxes;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/** Makes the handler for tickets of kind repair. */
final class Repairs {
  private static final String SCHEMA = "holdfast";

  /** The actor of an approval that a rule gave because the sample left the ticket out. */
  private static final String BY_RULE = "rule";

  private Repairs() {}

  /**
   * @param steps hears of each step that is worked
   * @param agents the agents whose providers and events are used; to be closed after the last
   *     ticket's end
   */
  static RepairHandler handler(
      Settings settings,
      Agents agents,
      Sandboxes sandboxes,
      MeterRegistry registry,
      Steps steps,
      DataSource dataSource) {
    Git git = GitProgram.unconfined(System.getenv());
    TicketReader reader = new PostgresTicketReader(dataSource);
    RepairMetrics metrics = new RepairMetrics(registry);
    EventSink events =
        (ticketId, leaseNo, event) -> {
          metrics.on(event);
          agents.events().on(ticketId, leaseNo, event);
        };
    RepairPorts ports =
        new RepairPorts(
            agents.providers(),
            new ModelPorts(
                Sleeper.REAL,
                System::nanoTime,
                () -> ThreadLocalRandom.current().nextDouble(-1, 1),
                settings.agents().handler().callRetry(),
                new ModelMetrics(registry, agents.providers().keySet())),
            agents.guard(),
            new PostgresAllowanceStore(dataSource, SCHEMA),
            new PostgresJournalStore(dataSource, SCHEMA, Sleeper.REAL, settings.secrets()),
            events,
            steps,
            new TicketRepositories(settings.repair().workspaceRoot(), git),
            network ->
                new GitRepairRepository.Tools(
                    git, new Verifier(sandboxes.get(network), System.getenv(), settings.secrets())),
            (ticketId, designId) -> isApproved(reader, ticketId, designId),
            InstantSource.system());
    return new RepairHandler(
        new RepairPorts.Settings(
            settings.repair().runsRoot(),
            settings.repair().usual(),
            settings.agents().handler().maxCalls(),
            settings.repair().width(),
            settings.agents().handler().allowance().outputTokens(),
            settings.secrets()),
        ports);
  }

  private static boolean isApproved(TicketReader reader, long ticketId, long designId) {
    return reader
        .find(ticketId)
        .filter(ticket -> ticket.kind().equals("repair"))
        .filter(ticket -> ticket.state().equals(TicketState.DONE.wireName()))
        .filter(ticket -> Objects.equals(ticket.designId(), designId))
        .flatMap(ticket -> lastWord(reader, ticketId))
        .filter(word -> word.event().equals("approved") && !BY_RULE.equals(word.actor()))
        .isPresent();
  }

  /** Returns the last of a success and its approval: a released ticket may have succeeded again. */
  private static Optional<TimelineEntry> lastWord(TicketReader reader, long ticketId) {
    return reader.timeline(ticketId).stream()
        .filter(each -> each.event().equals("succeeded") || each.event().equals("approved"))
        .reduce((before, each) -> each);
  }
}
