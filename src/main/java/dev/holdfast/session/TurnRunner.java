package dev.holdfast.session;

import static dev.holdfast.llm.Standstill.Kind.COOLING;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.Target;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.SessionExitCode;
import dev.holdfast.session.retry.Route;
import dev.holdfast.session.retry.Routing;
import dev.holdfast.session.retry.SleepEnd;
import dev.holdfast.session.retry.StopSignal;
import dev.holdfast.session.retry.TurnAttempt;
import dev.holdfast.session.retry.TurnEnd;
import dev.holdfast.session.retry.TurnError;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs one turn: attempts over the targets that are open, in turn, until one succeeds (B2-B8). A
 * call that the cluster learned a closed account from is followed by one of the next open target at
 * once; where none is open the session waits a short time, or its ticket does. A refused key uses
 * up none of the turn's tries.
 */
final class TurnRunner {
  /** The bounds of one wait in the session (B25). */
  static final Duration SHORTEST_WAIT = Duration.ofSeconds(1);

  static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  /**
   * The number of waits after which a standstill is left to the ticket, which gives its slot back.
   */
  private static final int MAX_WAITS = 3;

  /**
   * The parts that share the work of a turn.
   *
   * @param whenAnswered runs at an accepted answer, before its tools run
   */
  record Parts(
      AttemptRunner attempts,
      AfterAttempt after,
      AnswerActions actions,
      FinalTurn finalTurn,
      Budget budget,
      Runnable whenAnswered) {}

  private final List<Route> routes;
  private final SessionPorts ports;
  private final StopSignal signal;
  private final RunState run;
  private final Parts parts;
  private int attempt;
  private int tries;
  private int waits;
  private int cutKeys;
  private @Nullable TurnError before;
  private final Set<Target> tooSmall = new HashSet<>();

  TurnRunner(List<Route> routes, SessionPorts ports, StopSignal signal, RunState run, Parts parts) {
    this.routes = List.copyOf(routes);
    this.ports = ports;
    this.signal = signal;
    this.run = run;
    this.parts = parts;
  }

  /**
   * Makes one run of the turn that {@link Position} stands at; it does not move on to the next
   * turn.
   */
  TurnEnd run() throws InterruptedException {
    int turn = run.progress().turn();
    long start = ports.nanoTime().getAsLong();
    run.events().emit(new SessionEvent.TurnStarted(turn, run.progress().maxTurns()));
    parts.finalTurn().enterIfDue();
    TurnEnd end = attempts();
    keepError(turn, end);
    Duration took = Duration.ofNanos(ports.nanoTime().getAsLong() - start);
    run.events().emit(new SessionEvent.TurnFinished(turn, attempt, end.status(), took));
    return end;
  }

  /**
   * True where the conversation does not fit and there is another target that may take it. The turn
   * must then run again, and asks only such targets. The next turn begins with all of them.
   */
  boolean hasOtherTarget(TurnEnd end) {
    boolean other =
        end instanceof TurnEnd.Overflow overflow
            && tooSmall.add(overflow.error().target())
            && !open().isEmpty();
    if (!other) {
      tooSmall.clear();
    }
    return other;
  }

  private List<Route> open() {
    return routes.stream().filter(each -> !tooSmall.contains(each.target())).toList();
  }

  private TurnEnd attempts() throws InterruptedException {
    attempt = run.progress().tries();
    Routing routing = new Routing(open(), attempt, ports.nanoTime());
    tries = attempt;
    waits = 0;
    cutKeys = 0;
    JournalEntry.Discarded last = run.memory().lastDiscarded();
    if (last != null && parts.after().isLast(tries)) {
      // An earlier process has used up the tries, and has died before the next turn.
      return new TurnEnd.Invalid(TurnError.invalid(last.target(), last.why()), attempt);
    }
    while (signal.requested() == StopSignal.Request.NONE) {
      Route route = routing.next();
      if (route == null) {
        Standstill why = routing.standstill();
        Duration wait = why == null ? Duration.ZERO : inSession(why);
        if (why != null && wait.isZero()) {
          return new TurnEnd.StoodStill(why, before);
        }
        TurnEnd aborted = waitFor(wait, why, routing, before);
        if (aborted != null) {
          return aborted;
        }
        continue;
      }
      TurnAttempt tried = parts.attempts().run(attempt + 1, route);
      if (tried.refused() != null) {
        routing.refused(route, tried.refused());
        continue;
      }
      attempt++;
      TurnError error = tried.error();
      TurnEnd end = error == null ? succeeded(tried) : after(tried, error, route, routing);
      if (end != null) {
        return end;
      }
      before = error;
    }
    return new TurnEnd.Aborted();
  }

  /** The end of the turn after a failed attempt; null where another attempt follows. */
  private @Nullable TurnEnd after(
      TurnAttempt tried, TurnError error, Route route, Routing routing) {
    boolean deadAccount =
        tellIfDead(error) && (routing.isShut(route) || takesNextKey(error, route));
    tries += deadAccount ? 0 : 1;
    boolean mayWait = !parts.after().isLast(tries) && waits < MAX_WAITS;
    Standstill closed = error.isOfAccount() ? routing.standstill() : null;
    // Look only once: the hint may be over at the next look.
    if (closed == null && mayWait && isOverAlready(error)) {
      routing.paused(
          route,
          new Standstill(COOLING, SHORTEST_WAIT, true, List.of(), error.message(), null),
          SHORTEST_WAIT);
      closed = routing.standstill();
    }
    if (closed == null) {
      run.events().emit(tried.event(run.progress().turn(), Duration.ZERO));
      return deadAccount ? null : parts.after().end(error, tries, before);
    }
    Duration wait = parts.after().isLast(tries) ? Duration.ZERO : inSession(closed);
    run.events().emit(tried.event(run.progress().turn(), wait));
    if (wait.isZero()) {
      return new TurnEnd.StoodStill(closed, error);
    }
    return waitFor(wait, closed, routing, error);
  }

  /**
   * True if the error cut an answer and another key is left. The provider returns such an error at
   * once, because the call may have cost something, and the next key is open. Counts the keys that
   * the turn has gone through this way.
   */
  private boolean takesNextKey(TurnError error, Route route) {
    CallResult.Failed failure = error.failure();
    return failure != null && failure.isCut() && cutKeys++ < route.provider().accounts().size() - 1;
  }

  /**
   * True for a hint that may be over before it is heard of. No hint is too short to be waited for
   * (B27).
   */
  private static boolean isOverAlready(TurnError error) {
    CallResult.Failed failure = error.failure();
    if (failure == null || failure.kind() != FailureKind.RATE_LIMIT) {
      return false;
    }
    Duration hint = failure.retryAfter();
    return hint != null && !hint.isNegative() && hint.compareTo(SHORTEST_WAIT) < 0;
  }

  /**
   * Logs the exit code of a refused key, whatever comes after it (B11, B12). True if there was one.
   */
  private boolean tellIfDead(TurnError error) {
    SessionExitCode exit = error.refusedAccount();
    if (exit != null) {
      run.events()
          .log(SessionEvent.Level.ERR, "agent:turn", exit.wireName() + ": " + error.message());
    }
    return exit != null;
  }

  /**
   * The time for which the session itself waits while all its targets are closed (B26); zero where
   * its ticket is to wait instead.
   */
  private Duration inSession(Standstill why) {
    Duration left = why.left();
    if (left == null || !why.brief() || waits >= MAX_WAITS) {
      return Duration.ZERO;
    }
    Duration wait =
        Duration.ofMillis(
            Math.clamp(left.toMillis(), SHORTEST_WAIT.toMillis(), LONGEST_WAIT.toMillis()));
    return parts.budget().endsBefore(wait) ? Duration.ZERO : wait;
  }

  /**
   * Waits (B32). The loop notices a stop or a cancel that ends the wait early (B36). Such a wait is
   * no attempt. Returns null where the turn goes on; where a person has ended the wait, the ticket
   * waits.
   */
  private @Nullable TurnEnd waitFor(
      Duration wait, @Nullable Standstill why, Routing routing, @Nullable TurnError error) {
    if (why == null) {
      routing.waited();
      return null;
    }
    waits++;
    run.events()
        .log(
            SessionEvent.Level.WRN,
            "agent:retry",
            "waiting %s ms before attempt %s: %s"
                .formatted(wait.toMillis(), attempt + 1, why.words()));
    boolean aborted = signal.sleepWithAbort(wait) == SleepEnd.ABORTED_RETRY;
    routing.waited();
    Standstill still = aborted ? routing.standstill() : null;
    return still == null ? null : new TurnEnd.StoodStill(still, error);
  }

  private TurnEnd succeeded(TurnAttempt tried) throws InterruptedException {
    before = null;
    run.events().emit(tried.event(run.progress().turn(), Duration.ZERO));
    parts.whenAnswered().run();
    return parts.actions().act(false);
  }

  /** Adds the exit code, so that it stays in the session's record (B11, B12). */
  private static @Nullable TurnError withExitCode(@Nullable TurnError error) {
    if (error == null) {
      return null;
    }
    SessionExitCode exit = error.refusedAccount();
    return exit == null ? error : error.as(exit);
  }

  /** Records the error that ended the turn: people see it in the journal, models never do (D17). */
  private void keepError(int turn, TurnEnd end) {
    TurnError error =
        switch (end) {
          case TurnEnd.Errored each -> each.error();
          case TurnEnd.Fatal each -> each.error();
          case TurnEnd.Overflow each -> each.error();
          case TurnEnd.StoodStill each when each.why().left() == null -> withExitCode(each.error());
          default -> null;
        };
    if (error != null) {
      run.progress().runFailed(end instanceof TurnEnd.Errored);
      run.memory()
          .record(
              new JournalEntry.TurnFailed(
                  turn, error.target(), error.type(), error.message(), run.standing()));
    }
  }
}
