package dev.holdfast.session;

import dev.holdfast.llm.RetryContext;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.session.context.Compactor;
import dev.holdfast.session.context.ContextGuard;
import dev.holdfast.session.context.ContextMeter;
import dev.holdfast.session.context.Tokens;
import dev.holdfast.session.event.SessionEvents;
import dev.holdfast.session.report.ReportRules;
import dev.holdfast.session.retry.AutoRetry;
import dev.holdfast.session.retry.Route;
import dev.holdfast.session.retry.StopSignal;
import java.util.List;
import java.util.stream.Collectors;

/** Puts one execution together. */
record Wiring(RunState run, SessionRun sessionRun) {
  /** The parts that outlive an execution, because other threads use them. */
  record Shared(SessionEvents events, StopSignal signal, AutoRetry autoRetry, ReportRules rules) {}

  static Wiring of(
      SessionSettings settings,
      List<Route> routes,
      SessionPorts ports,
      RetryContext context,
      Shared shared) {
    List<ToolSpec> tools = ports.toolBox().specs();
    ChatRequests requests = new ChatRequests(settings, tools, shared.rules().spec(), context);
    long overhead = Tokens.of(settings.system()) + Tokens.ofTools(requests.offered(false));
    ContextGuard guard = new ContextGuard(settings.context(), new ContextMeter(overhead));
    Memory memory = new Memory(ports.journal(), guard);
    Position progress = new Position(settings.limits().maxTurns(), shared.events());
    RunState run = new RunState(memory, progress, new Notices(), shared.events());
    AnswerActions actions =
        new AnswerActions(ports.toolBox(), ports.approvals(), shared.rules(), shared.signal(), run);
    Budget budget = new Budget(context, settings, memory, ports.ownLimit());
    Compactor compactor =
        new Compactor(
            ports.summariser(),
            routes.stream().map(route -> SummaryProvider.of(route, budget, run)).toList());
    Compaction compaction =
        new Compaction(settings.context(), guard, compactor, run, shared.signal());
    AttemptRunner attempts = attempts(ports, budget, shared, requests, tools, run);
    TurnRunner.Parts parts =
        new TurnRunner.Parts(
            attempts,
            new AfterAttempt(settings.limits().maxRetries(), run),
            actions,
            new FinalTurn(guard, run),
            budget,
            shared.autoRetry()::answered);
    return new Wiring(
        run,
        new SessionRun(
            run,
            new TurnRunner(routes, ports, shared.signal(), run, parts),
            actions,
            shared.autoRetry(),
            compaction,
            new LoopGuard(settings.loops(), run),
            new AfterTurn(shared.signal(), shared.autoRetry(), budget, run)));
  }

  private static AttemptRunner attempts(
      SessionPorts ports,
      Budget budget,
      Shared shared,
      ChatRequests requests,
      List<ToolSpec> tools,
      RunState run) {
    AnswerReview review =
        new AnswerReview(
            tools.stream().map(ToolSpec::name).collect(Collectors.toSet()), shared.rules(), run);
    return new AttemptRunner(run, ports, shared.signal(), requests, budget, review);
  }
}
