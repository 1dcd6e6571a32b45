package dev.holdfast.session;

import dev.holdfast.llm.RetryContext;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEvents;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.report.ReportRules;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.AutoRetry;
import dev.holdfast.session.retry.Route;
import dev.holdfast.session.retry.StopSignal;
import dev.holdfast.session.retry.TurnEnd;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An agent's conversation until its final report: the turn runner (B), the auto-retry of turns (D),
 * compaction, and a journal of every finished step. A session over a journal that has entries goes
 * on after the last of them; nothing paid for is paid twice.
 *
 * <pre>{@code
 * Session session =
 *     new Session(
 *         SessionSettings.of("You fix bugs.").withLimits(limits),
 *         List.of(new Route(new Target("openai", "gpt"), openai), new Route(target, anthropic)),
 *         SessionPorts.of(toolBox, journal, Sleeper.REAL, System::nanoTime).withListeners(metrics),
 *         new RetryContext(Duration.ofHours(1), 60, System::nanoTime));
 * switch (session.run("Make the tests pass.")) {
 *   case SessionResult.Reported reported -> store(reported.report().toJson());
 *   case SessionResult.Failed failed -> fail(failed.errorReport());
 *   case SessionResult.AwaitsApproval waits -> park(waits.calls());
 *   case SessionResult.UnknownEffect unknown -> hold(unknown.calls());
 *   case SessionResult.Stopped stopped -> giveBack();
 *   case SessionResult.Cancelled cancelled -> giveBack();
 * }
 * }</pre>
 *
 * <p>{@code run} blocks its thread, best a virtual one, and returns only when every retry is over
 * (D32). An interrupt of that thread cancels the session: a waiting retry ends, then the running
 * call or tool (D30). All other methods may be called from any thread.
 */
public final class Session {
  private final SessionSettings settings;
  private final List<Route> routes;
  private final SessionPorts ports;
  private final RetryContext context;
  private final SessionEvents events;
  private final StopSignal signal;
  private final AutoRetry autoRetry;
  private final Wiring.Shared shared;
  private final AtomicBoolean running = new AtomicBoolean();
  private @Nullable RunState state;

  /**
   * @param routes at least one; attempts take them in turn
   * @param context the deadline and the budget of model calls that all layers share
   * @throws IllegalArgumentException without a route, or where a tool has the report's name
   */
  public Session(
      SessionSettings settings, List<Route> routes, SessionPorts ports, RetryContext context) {
    if (routes.isEmpty()) {
      throw new IllegalArgumentException("a session needs a target");
    }
    this.settings = settings;
    this.routes = List.copyOf(routes);
    this.ports = ports;
    this.context = context;
    this.events = new SessionEvents(ports.listeners());
    this.signal = new StopSignal(ports.sleeper(), events);
    this.autoRetry = new AutoRetry(settings.autoRetry(), context, signal, events);
    this.shared =
        new Wiring.Shared(
            events,
            signal,
            autoRetry,
            new ReportRules(settings.reportSchema(), settings.enqueues()));
    if (ports.toolBox().specs().stream().anyMatch(tool -> tool.name().equals(ReportRules.TOOL))) {
      throw new IllegalArgumentException("no tool may have the name " + ReportRules.TOOL);
    }
  }

  /** Works on one task; see {@link #run(List)}. */
  public SessionResult run(String task) {
    return run(List.of(Input.task(task)));
  }

  /**
   * Works on a task until there is a result. One call at a time.
   *
   * @param inputs in order; those that the journal has already are not said again
   * @throws RuntimeException what the journal or a tool box throws; the journal is whole even then
   */
  public SessionResult run(List<Input> inputs) {
    if (!running.compareAndSet(false, true)) {
      throw new IllegalStateException("the session runs already");
    }
    try {
      return finished(Wiring.of(settings, routes, ports, context, shared), inputs);
    } finally {
      autoRetry.close("the session broke off");
      events.over();
      running.set(false);
      if (signal.interruptedFromOutside()) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private SessionResult finished(Wiring wiring, List<Input> inputs) {
    state = wiring.run();
    SessionResult result;
    try {
      result = wiring.sessionRun().run(inputs);
    } catch (InterruptedException e) {
      autoRetry.close(new TurnEnd.Aborted());
      result = wiring.sessionRun().afterTurn().stopped();
    }
    RunState run = wiring.run();
    if (result instanceof SessionResult.Cancelled) {
      run.keepCancelled();
    }
    events.emit(
        new SessionEvent.Finished(
            result, run.progress().newReportAttempts(), run.memory().spent()));
    return result;
  }

  /** The state of the current execution; only its own thread may use it. */
  RunState state() {
    return Objects.requireNonNull(state, "no execution has begun");
  }

  /**
   * Ends the session gracefully: waits end now, a call or tools that run are let finish and are
   * written down, and none begins after them (B36, B38).
   */
  public void stop() {
    signal.stop();
    context.stop();
  }

  /**
   * Ends the wait that it is in: the session then ends with the error that it would have tried
   * again after (D27), or as one that stands still where it waits for the end of a cool-down.
   */
  public void abortRetry() {
    autoRetry.abort();
  }

  /**
   * Switches the auto-retry on or off for future errors; a retry that already waits goes on (D33).
   */
  public void setAutoRetryEnabled(boolean enabled) {
    autoRetry.setEnabled(enabled);
  }
}
