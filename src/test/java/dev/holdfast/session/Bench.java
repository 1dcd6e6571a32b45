package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.RetryContext;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.account.CallGuard;
import dev.holdfast.llm.account.CallOf;
import dev.holdfast.session.approval.Approvals;
import dev.holdfast.session.context.Summariser;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionListener;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.session.retry.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A session with everything around it that a test may look at. The auto-retry is off. */
final class Bench {
  final AtomicLong nanos = new AtomicLong();
  final RecordingSleeper sleeper = new RecordingSleeper(nanos);
  final RecordingTools tools = new RecordingTools();
  final List<SessionEvent> events = new CopyOnWriteArrayList<>();
  final List<Route> routes = new ArrayList<>();
  final List<SessionListener> listeners = new ArrayList<>(List.of(events::add));
  Journal journal = new InMemoryJournal();
  Duration timeAllowed = Duration.ofHours(10);
  int maxCalls;
  SessionSettings settings =
      SessionSettings.of("You test.")
          .withAutoRetry(AutoRetrySettings.DEFAULT.withEnabled(false))
          .withLoops(LoopSettings.OFF);
  Summariser summariser = Summariser.NONE;
  Approvals approvals = Approvals.NONE;
  CallGuard guard = CallGuard.NONE;
  private @Nullable Session session;

  Bench() {}

  /** A session on one target that answers this, the last for ever. */
  static Bench with(CallResult... script) {
    Bench bench = new Bench();
    bench.target("one", script);
    return bench;
  }

  /** The same, its targets closed by rate limits and refused keys. */
  static Bench guarded(CallResult... script) {
    Bench bench = new Bench();
    bench.guardedTarget("one", script);
    return bench;
  }

  ScriptedProvider guardedTarget(String name, CallResult... script) {
    return target(name, script).guarded(nanos);
  }

  ScriptedProvider target(String name, CallResult... script) {
    ScriptedProvider provider = new ScriptedProvider(name);
    for (CallResult each : script) {
      provider.then(each);
    }
    routes.add(new Route(new Target(name, "m-" + name), provider));
    return provider;
  }

  ScriptedProvider provider() {
    return provider(0);
  }

  ScriptedProvider provider(int index) {
    return (ScriptedProvider) routes.get(index).provider();
  }

  Bench maxTurns(int turns) {
    return limits(turns, settings.limits().maxRetries());
  }

  Bench maxRetries(int attempts) {
    return limits(settings.limits().maxTurns(), attempts);
  }

  private Bench limits(int turns, int attempts) {
    SessionSettings.Limits old = settings.limits();
    settings =
        settings.withLimits(
            new SessionSettings.Limits(
                turns, attempts, old.llmTimeout(), old.maxOutputTokens(), old.maxCostUsd()));
    return this;
  }

  Bench autoRetry() {
    settings = settings.withAutoRetry(AutoRetrySettings.DEFAULT);
    return this;
  }

  Session session() {
    if (session == null) {
      SessionPorts ports =
          SessionPorts.of(tools, journal, sleeper, nanos::get)
              .withListeners(listeners.toArray(SessionListener[]::new))
              .withSummariser(summariser)
              .withApprovals(approvals);
      RetryContext context = new RetryContext(timeAllowed, maxCalls, nanos::get);
      CallOf call = new CallOf(1, 1, null, context);
      List<Route> guarded =
          routes.stream()
              .map(each -> new Route(each.target(), guard.guard(each.provider(), call)))
              .toList();
      session = new Session(settings, guarded, ports, context);
    }
    return session;
  }

  SessionResult run() {
    return session().run("do it");
  }

  SessionResult.Failed runToFailure() {
    return (SessionResult.Failed) run();
  }

  int calls() {
    return routes.stream().mapToInt(route -> ((ScriptedProvider) route.provider()).calls()).sum();
  }

  <T extends SessionEvent> List<T> events(Class<T> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** The names of the targets that were tried, in order. */
  List<String> tried() {
    return events(SessionEvent.AttemptFinished.class).stream()
        .map(each -> each.target().provider())
        .toList();
  }

  /** Lines of the log as {@code WRN agent:turn words}. */
  List<String> log() {
    return events(SessionEvent.Logged.class).stream()
        .map(each -> each.level() + " " + each.source() + " " + each.message())
        .toList();
  }

  /** What the n-th request said, from 0, without the task. */
  List<Message> sent(int request) {
    List<Message> messages = provider().requests.get(request).messages();
    return messages.subList(1, messages.size());
  }

  /** The notices of the n-th request, from 0. */
  List<String> notices(int request) {
    return provider().requests.get(request).messages().stream()
        .filter(each -> each instanceof Message.User user && user.retryMessage() != null)
        .map(each -> ((Message.User) each).content())
        .toList();
  }

  <T extends JournalEntry> List<T> entries(Class<T> type) {
    return journal.entries().stream().filter(type::isInstance).map(type::cast).toList();
  }
}
