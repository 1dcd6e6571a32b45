package dev.holdfast.handler.agent;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.handler.ProviderMissingException;
import dev.holdfast.handler.TargetRoutes;
import dev.holdfast.handler.WorkerLacks;
import dev.holdfast.handler.design.TicketDesigns;
import dev.holdfast.llm.ProviderCallRetry;
import dev.holdfast.llm.RetryContext;
import dev.holdfast.process.LeftPrograms;
import dev.holdfast.process.NotPreparedException;
import dev.holdfast.session.Allowance;
import dev.holdfast.session.Session;
import dev.holdfast.session.SessionPorts;
import dev.holdfast.session.SessionSettings;
import dev.holdfast.session.context.ContextSettings;
import dev.holdfast.session.event.ProviderRequests;
import dev.holdfast.session.event.SessionListener;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.Route;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.Review;
import dev.holdfast.ticket.UnreadableJournalException;
import dev.holdfast.tool.ConfigurationException;
import dev.holdfast.tool.ToolBox;
import dev.holdfast.tool.ToolExecutionException;
import dev.holdfast.tool.ToolTrouble;
import dev.holdfast.tool.sandbox.SandboxFailedException;
import dev.holdfast.tool.sandbox.SandboxMissingException;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import dev.holdfast.worker.TicketHandler;
import dev.holdfast.worker.WorkerUnfitException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Works on tickets of kind {@code agent}: a session with the models of the ticket's design, in a
 * workspace of the ticket's own, until its final report. The session is kept in the journal of the
 * ticket, and an attempt goes on from there. An interrupt aborts the session and comes out as
 * {@link InterruptedException}. Thread-safe.
 */
public final class AgentHandler implements TicketHandler {
  private final AgentSettings settings;
  private final AgentPorts ports;
  private final TicketDesigns designs = new TicketDesigns("agent", "no model");
  private final AgentTools tools;
  private final RetryWaits waits;
  private final ProviderCallRetry calls;

  public AgentHandler(AgentSettings settings, AgentPorts ports) {
    this.settings = settings;
    this.ports = ports;
    this.tools = new AgentTools(settings, ports);
    this.waits = new RetryWaits(ports.sessions().aborts(), ports.sleeper());
    this.calls =
        new ProviderCallRetry(
            settings.callRetry(),
            ports.sleeper(),
            ports.nanoTime(),
            () -> 2 * ports.random().getAsDouble() - 1,
            ports.calls());
  }

  @Override
  public HandlerResult handle(TicketContext context) throws InterruptedException {
    ClaimedTicket claimed = context.claimed();
    LeftPrograms.endBeforeAttempt(claimed.attempt());
    try {
      AgentDesign design =
          designs.of(claimed, document -> AgentDesign.of(document, settings.llmTimeout()));
      List<Route> routes = TargetRoutes.of(design.targets(), ports.providers());
      AgentWorkspace workspace =
          AgentWorkspace.open(
              settings.workspaceRoot(),
              claimed.ticket(),
              design.copyFrom(),
              ports.sandboxes().secrets());
      HandlerResult result = work(context, design, routes, workspace);
      if (result instanceof HandlerResult.Succeeded succeeded
          && succeeded.review() != Review.HUMAN) {
        workspace.delete();
      }
      return result;
    } catch (UnreadableJournalException e) {
      return HandlerResult.held(
          "The session cannot go on: release with --fresh starts it over",
          ErrorReport.ofMessage(e, Category.SYSTEM_ERROR));
    } catch (NotPreparedException e) {
      throw new WorkerUnfitException(String.valueOf(e.getMessage()), e);
    } catch (SandboxMissingException e) {
      return WorkerLacks.sandbox(e);
    } catch (ProviderMissingException e) {
      return WorkerLacks.provider(e);
    } catch (InvalidInputException | ConfigurationException e) {
      return HandlerResult.failed(ErrorReport.ofMessage(e, Category.CODE_ERROR));
    } catch (ToolExecutionException e) { // an MCP server that does not start
      return HandlerResult.failed(
          ErrorReport.ofText(ToolTrouble.words(e)).withStatedCategory(Category.SYSTEM_ERROR));
    } catch (SandboxFailedException | IOException e) {
      return HandlerResult.failed(ErrorReport.ofMessage(e, Category.SYSTEM_ERROR));
    }
  }

  private HandlerResult work(
      TicketContext context, AgentDesign design, List<Route> routes, AgentWorkspace workspace)
      throws InterruptedException {
    ClaimedTicket claimed = context.claimed();
    Allowance all =
        AgentAllowance.of(
            claimed.id(),
            design.limitsDocument(),
            settings.allowance(),
            ports.sessions().allowances().of(claimed.id()));
    boolean timed = all.time() != null && all.time().compareTo(design.timeout()) < 0;
    Allowance allowance = timed ? all : all.withTime(null);
    RetryContext budget = budget(design, allowance);
    List<Route> guarded = TargetRoutes.guarded(routes, claimed, budget, ports.guard());
    try (ToolBox box = tools.open(design, workspace.workspace(), budget::timeLeft);
        RetryWaits.Watch watch =
            waits.watch(claimed.id(), design.autoRetry(settings.autoRetry()).enabled())) {
      Session session =
          new Session(
              settingsOf(design).withAllowance(allowance),
              guarded,
              sessionPorts(claimed, design, box, watch, budget),
              budget);
      watch.opened(session);
      context.onDrain(session::stop);
      SessionResult result =
          session.run(
              AgentTask.inputs(
                  claimed,
                  claimed.attempt() > 1
                      ? ports.sessions().attempts().failed(claimed.id())
                      : List.of()));
      return AgentResult.of(result, design.review().of(context.claimed().id()));
    }
  }

  private RetryContext budget(AgentDesign design, Allowance allowance) {
    return new RetryContext(
        Objects.requireNonNullElse(allowance.time(), design.timeout()),
        design.limitsDocument().path("max_attempt_calls").asInt(settings.maxCalls()),
        ports.nanoTime());
  }

  private SessionSettings settingsOf(AgentDesign design) {
    ContextSettings usual = ContextSettings.DEFAULT;
    return SessionSettings.of(AgentTask.system(design.system()))
        .withReportSchema(design.reportSchema())
        .withEnqueues(design.enqueues())
        .withLimits(design.limits())
        .withAutoRetry(design.autoRetry(settings.autoRetry()))
        .withLoops(settings.loops())
        .withContext(
            new ContextSettings(
                design.contextWindow(),
                usual.compactAt(),
                usual.finalAt(),
                usual.autoCompaction()));
  }

  private SessionPorts sessionPorts(
      ClaimedTicket claimed,
      AgentDesign design,
      ToolBox box,
      SessionListener watch,
      RetryContext budget) {
    long id = claimed.id();
    long leaseNo = claimed.lease().no();
    List<SessionListener> listeners = new ArrayList<>(ports.listeners());
    listeners.add(event -> ports.sessions().events().on(id, leaseNo, event));
    listeners.add(new ProviderRequests(ports.calls()));
    // This is the last one, so that whoever aborts a retry has already heard of it.
    listeners.add(watch);
    return SessionPorts.of(
            box, ports.sessions().journals().open(id, leaseNo), ports.sleeper(), ports.nanoTime())
        .withListeners(listeners.toArray(SessionListener[]::new))
        .withApprovals(
            DesignApprovals.of(
                design.approval(),
                box,
                ports.sessions().approvals(),
                settings.tools().secrets(),
                id,
                claimed.lease()))
        .withOwnLimit(() -> Optional.ofNullable(ports.sessions().allowances().of(id).maxCostUsd()))
        .withSummariser(
            new ModelSummariser(
                design.limits().llmTimeout(), design.limits().maxOutputTokens(), calls, budget));
  }
}
