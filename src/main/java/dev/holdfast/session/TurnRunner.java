package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Standstill;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs one turn: attempts over the targets, round-robin, until one succeeds (B2-B8). */
final class TurnRunner {
  /** A standstill that outlasts these is left to the ticket, which gives its slot back. */
  private static final int MAX_BRIEF_WAITS = 3;

  /**
   * Who does what in a turn.
   *
   * @param maxAttempts of one run of a turn
   * @param whenAnswered told of an accepted answer before its tools run
   */
  record Parts(
      AttemptRunner attempts,
      AfterAttempt after,
      AnswerActions actions,
      FinalTurn finalTurn,
      Budget budget,
      int maxAttempts,
      Runnable whenAnswered) {}

  private final List<Route> routes;
  private final TurnWaits waits;
  private final SessionPorts ports;
  private final StopSignal signal;
  private final RunState run;
  private final Parts parts;
  private int attempt;
  private int briefWaits;
  private @Nullable TurnError before;

  TurnRunner(
      List<Route> routes,
      TurnWaits waits,
      SessionPorts ports,
      StopSignal signal,
      RunState run,
      Parts parts) {
    this.routes = List.copyOf(routes);
    this.waits = waits;
    this.ports = ports;
    this.signal = signal;
    this.run = run;
    this.parts = parts;
  }

  /** One run of the turn that {@link Progress} stands at; it does not move on from it. */
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

  private TurnEnd attempts() throws InterruptedException {
    Rotation rotation = new Rotation(routes.size(), waits);
    Routing routing = new Routing(routes);
    attempt = 0;
    briefWaits = 0;
    while (signal.requested() == StopSignal.Request.NONE) {
      Route route = routing.next();
      if (route == null) {
        Standstill why = routing.standstill();
        if (why != null && !waitBriefly(why)) {
          return new TurnEnd.StoodStill(why, before);
        }
        routing.waited();
        continue;
      }
      Tried tried = parts.attempts().run(attempt + 1, route);
      if (tried.refused() != null) {
        routing.refused(route, tried.refused());
        continue;
      }
      attempt++;
      TurnError error = tried.error();
      if (error == null) {
        return succeeded(tried);
      }
      Standstill closed = saysOfAccount(error) ? routing.standstill() : null;
      if (closed != null) {
        run.events().emit(tried.event(run.progress().turn(), Duration.ZERO));
        before = error;
        if (attempt >= parts.maxAttempts()) {
          return new TurnEnd.StoodStill(closed, error);
        }
        continue;
      }
      AfterAttempt.Next next = parts.after().decide(rotation, error, attempt, before);
      run.events().emit(tried.event(run.progress().turn(), next.backoff()));
      before = error;
      switch (next) {
        case AfterAttempt.End end -> {
          return end.end();
        }
        case AfterAttempt.Again again -> waitFor(again.backoff());
      }
    }
    return new TurnEnd.Aborted();
  }

  /** Whether the failure may be why no target is open any more; an overflow is mended here. */
  private static boolean saysOfAccount(TurnError error) {
    CallResult.Failed failure = error.failure();
    return failure != null
        && switch (failure.kind()) {
          case AUTH_ERROR, QUOTA_EXCEEDED, RATE_LIMIT, TIMEOUT, NETWORK_ERROR -> true;
          case MODEL_ERROR -> failure.retryable();
          case INVALID_RESPONSE, CONTEXT_OVERFLOW, OUT_OF_BUDGET -> false;
        };
  }

  /**
   * Sits out the end of a cool-down that is near; false where it is not, or the time allowed ends
   * before it. Such a wait is no attempt.
   */
  private boolean waitBriefly(Standstill why) {
    Duration left = why.left();
    if (left == null || !why.brief() || briefWaits++ >= MAX_BRIEF_WAITS) {
      return false;
    }
    if (parts.budget().endsBefore(left)) {
      return false;
    }
    run.events()
        .log(
            SessionEvent.Level.WRN,
            "agent:standstill",
            "waiting " + left.toMillis() + " ms for " + why.words());
    signal.sleepWithAbort(left);
    return true;
  }

  private TurnEnd succeeded(Tried tried) throws InterruptedException {
    before = null;
    run.events().emit(tried.event(run.progress().turn(), Duration.ZERO));
    parts.whenAnswered().run();
    return parts.actions().act(false);
  }

  /** B32, B36: what ends the wait early is seen by the loop. */
  private void waitFor(Duration wait) {
    if (wait.isPositive()) {
      run.events()
          .log(
              SessionEvent.Level.WRN,
              "agent:retry",
              "waiting " + wait.toMillis() + " ms before attempt " + (attempt + 1));
      signal.sleepWithAbort(wait);
    }
  }

  /** D17: people see it in the journal, models never do. */
  private void keepError(int turn, TurnEnd end) {
    TurnError error =
        switch (end) {
          case TurnEnd.Errored each -> each.error();
          case TurnEnd.Fatal each -> each.error();
          case TurnEnd.Overflow each -> each.error();
          default -> null;
        };
    if (error != null) {
      run.memory()
          .record(new JournalEntry.TurnFailed(turn, error.target(), error.type(), error.message()));
    }
  }
}
