package dev.holdfast.handler.repair;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.handler.ProviderMissingException;
import dev.holdfast.handler.StandstillResult;
import dev.holdfast.handler.TargetRoutes;
import dev.holdfast.handler.WorkerLacks;
import dev.holdfast.handler.design.TicketDesigns;
import dev.holdfast.llm.Standstill;
import dev.holdfast.process.LeftPrograms;
import dev.holdfast.process.NotPreparedException;
import dev.holdfast.repair.GitRepairRepository;
import dev.holdfast.repair.ModelFailedException;
import dev.holdfast.repair.RepairRun;
import dev.holdfast.repair.RunEnd;
import dev.holdfast.repair.RunHistory;
import dev.holdfast.repair.StoodStillException;
import dev.holdfast.repair.git.RepositoryException;
import dev.holdfast.repair.git.TicketRepository;
import dev.holdfast.repair.trace.Trace;
import dev.holdfast.repair.trace.TraceFile;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.retry.Route;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.tool.sandbox.SandboxFailedException;
import dev.holdfast.tool.sandbox.SandboxMissingException;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import dev.holdfast.worker.TicketHandler;
import dev.holdfast.worker.WorkerUnfitException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Works on tickets of kind {@code repair}: a run in a copy of the design's repository until its
 * verification passes, then a commit on {@code holdfast/ticket-ID} for a person to review. The
 * delivery of an approved result is a ticket of its own, which the same handler works on. The run
 * is kept in the journal of the ticket, and an attempt goes on from there. Thread-safe.
 */
public final class RepairHandler implements TicketHandler {
  private final RepairPorts.Settings settings;
  private final RepairPorts ports;
  private final TicketDesigns designs = new TicketDesigns("repair", "no repository");
  private final RepairDelivery delivery;

  public RepairHandler(RepairPorts.Settings settings, RepairPorts ports) {
    this.settings = settings;
    this.ports = ports;
    this.delivery = new RepairDelivery(ports);
  }

  @Override
  public HandlerResult handle(TicketContext context) throws InterruptedException {
    ClaimedTicket claimed = context.claimed();
    LeftPrograms.endBeforeAttempt(claimed.attempt());
    try {
      RepairDesign design =
          designs.of(claimed, document -> RepairDesign.of(document, settings.usual()));
      return onThisDisk(context, design);
    } catch (StoodStillException e) {
      return StandstillResult.of(e.why(), null, null);
    } catch (ModelFailedException e) {
      Standstill still = e.standstill();
      return still == null
          ? HandlerResult.failed(RepairFailures.of(e))
          : StandstillResult.of(still, e.getMessage(), e.failure().httpStatus());
    } catch (NotPreparedException e) {
      throw new WorkerUnfitException(String.valueOf(e.getMessage()), e);
    } catch (SandboxMissingException e) {
      return WorkerLacks.sandbox(e);
    } catch (ProviderMissingException e) {
      return WorkerLacks.provider(e);
    } catch (InvalidInputException e) {
      return HandlerResult.failed(ErrorReport.ofMessage(e, Category.CODE_ERROR));
    } catch (RepositoryException | SandboxFailedException | IOException e) {
      return HandlerResult.failed(ErrorReport.ofMessage(e, Category.SYSTEM_ERROR));
    }
  }

  private HandlerResult onThisDisk(TicketContext context, RepairDesign design)
      throws IOException, InterruptedException {
    ClaimedTicket claimed = context.claimed();
    Optional<DeliveryOrder> order = DeliveryOrder.in(claimed.ticket().payload());
    try {
      return order.isPresent()
          ? delivery.deliver(claimed, design, order.get())
          : repair(context, design);
    } catch (IOException e) {
      ports.repositories().requireRoom(e);
      throw e;
    }
  }

  private HandlerResult repair(TicketContext context, RepairDesign design)
      throws IOException, InterruptedException {
    ClaimedTicket claimed = context.claimed();
    List<Route> routes = TargetRoutes.of(design.targets(), ports.providers());
    Journal journal = ports.journals().open(claimed.id(), claimed.lease().no());
    List<JournalEntry> entries = journal.entries();
    RunHistory history = RunHistory.of(claimed.id(), entries);
    RepairRun.Job job = RepairJob.of(claimed, design, history);
    Optional<RunEnd> untold = history.untold(job.at());
    RepairOutcome outcome = new RepairOutcome(claimed, design, settings.runs());
    RepairRun run = new RepairRun(runPorts(context), design.settings(), routes);
    if (untold.isPresent()) {
      run.traceAgain(job, history.number(), journal, entries);
      HandlerResult result = outcome.of(untold.get(), history.number());
      return RepairDelivery.isDue(design, untold.get(), result)
          ? deliver(claimed, design, history, untold.get(), result)
          : result;
    }
    RunEnd end;
    HandlerResult result;
    try (TicketRepository repository = open(claimed, design, history)) {
      GitRepairRepository workbench =
          new GitRepairRepository(
              repository, ports.tools().get(design.network()), design.patch(), design.verify());
      end = run.run(job, journal, entries, workbench);
      result =
          delivery.atOnce(claimed.id(), design, end, repository, outcome.of(end, history.next()));
    }
    delivery.deleteDelivered(claimed.id(), design, end, result);
    return result;
  }

  /**
   * Delivers a result. The journal does not say whether that was done, but a second delivery
   * changes nothing.
   */
  private HandlerResult deliver(
      ClaimedTicket claimed,
      RepairDesign design,
      RunHistory history,
      RunEnd end,
      HandlerResult result)
      throws IOException, InterruptedException {
    HandlerResult delivered;
    try (TicketRepository repository = open(claimed, design, history)) {
      delivered = delivery.atOnce(claimed.id(), design, end, repository, result);
    }
    delivery.deleteDelivered(claimed.id(), design, end, delivered);
    return delivered;
  }

  private TicketRepository open(ClaimedTicket claimed, RepairDesign design, RunHistory history)
      throws IOException, InterruptedException {
    return ports
        .repositories()
        .open(
            claimed.id(), claimed.ticket().createdAt(), design.repository(), history.baseCommit());
  }

  private RepairRun.Ports runPorts(TicketContext context) {
    ClaimedTicket claimed = context.claimed();
    return new RepairRun.Ports(
        ports.models(),
        ports.wall(),
        name -> trace(claimed, name),
        (routes, calls) -> {
          context.onDrain(calls::stop);
          return TargetRoutes.guarded(routes, claimed, calls, ports.guard());
        },
        settings.width(),
        settings.maxCalls(),
        new RepairRun.Money(
            () -> Optional.ofNullable(ports.allowances().of(claimed.id()).maxCostUsd()),
            settings.outputTokens()));
  }

  private Trace trace(ClaimedTicket claimed, String name) {
    return new LiveTrace(
        new TraceFile(RepairRun.traceFile(settings.runs(), name), settings.secrets()),
        ports.events(),
        ports.steps(),
        claimed.id(),
        claimed.lease().no());
  }
}
