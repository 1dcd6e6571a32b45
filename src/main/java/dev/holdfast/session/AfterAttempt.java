package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.session.RetryDirective.Action;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Decides what follows an attempt that failed (B11-B16, B19, B26-B35, B40, B41). */
final class AfterAttempt {
  /** What follows. */
  sealed interface Next {
    /** Zero for none. */
    Duration backoff();
  }

  /** No further attempt in this run of the turn. */
  record End(TurnEnd end) implements Next {
    @Override
    public Duration backoff() {
      return Duration.ZERO;
    }
  }

  /** Another attempt, on the next target. */
  record Again(Duration backoff) implements Next {}

  private final SessionSettings settings;
  private final RetryDirectives given;
  private final FallbackDirectives fallback;
  private final Budget budget;
  private final RunState run;

  AfterAttempt(SessionSettings settings, RetryDirectives given, Budget budget, RunState run) {
    this.settings = settings;
    this.given = given;
    this.fallback =
        new FallbackDirectives(
            settings.waits().afterNetworkErrors(), settings.limits().skipTargetOnAuthError());
    this.budget = budget;
    this.run = run;
  }

  /**
   * @param before the error of the attempt before; what a bound cuts off keeps it as its cause
   */
  Next decide(Rotation rotation, TurnError error, int attempt, @Nullable TurnError before) {
    CallResult.Failed failure = error.failure();
    if (failure == null) {
      rotation.otherwise();
      return againUnlessLast(error, attempt, Duration.ZERO);
    }
    if (isOverflow(failure)) {
      return new End(new TurnEnd.Overflow(error));
    }
    if (fallback.isFatal(failure.kind())) {
      return fatal(failure, error, before);
    }
    RetryDirective directive = directive(error, failure, attempt);
    if (directive.action() == Action.ABORT) {
      return fatal(failure, error, before);
    }
    return againUnlessLast(error, attempt, wait(rotation, directive, failure, attempt));
  }

  private static boolean isOverflow(CallResult.Failed failure) {
    return failure.kind() == FailureKind.CONTEXT_OVERFLOW
        || (failure.kind() == FailureKind.MODEL_ERROR
            && RetryableError.isOverflow(failure.message()));
  }

  private RetryDirective directive(TurnError error, CallResult.Failed failure, int attempt) {
    RetryDirective directive = given.after(error.target(), failure);
    if (directive == null) {
      return fallback.after(failure, attempt);
    }
    if (directive.logMessage() != null) {
      run.events().log(SessionEvent.Level.WRN, "agent:directive", directive.logMessage());
    }
    if (directive.systemMessage() != null) {
      run.notices().push("retry-directive", directive.systemMessage());
    }
    return directive;
  }

  private static Duration wait(
      Rotation rotation, RetryDirective directive, CallResult.Failed failure, int attempt) {
    if (failure.kind() == FailureKind.RATE_LIMIT) {
      long suggested = rotation.suggestedMs(directive, failure, attempt);
      return Duration.ofMillis(rotation.rateLimited(suggested));
    }
    rotation.otherwise();
    Long backoff = Rotation.usable(directive.backoffMs());
    return backoff == null ? Duration.ZERO : Duration.ofMillis(backoff);
  }

  /** B35: where no attempt remains, nobody waits for one. */
  private Next againUnlessLast(TurnError error, int attempt, Duration wait) {
    if (attempt >= settings.limits().maxRetries()) {
      return new End(exhausted(error, attempt));
    }
    if (budget.endsBefore(wait)) {
      return new End(
          new TurnEnd.Fatal(
              ExitCode.BUDGET_EXCEEDED,
              error.cutOff(
                  "the execution's time ends before a wait of " + wait.toMillis() + " ms")));
    }
    return new Again(wait);
  }

  private static TurnEnd exhausted(TurnError error, int attempts) {
    if (error.isInvalidResponse()) {
      return new TurnEnd.Invalid(error, attempts);
    }
    CallResult.Failed failure = error.failure();
    return failure != null && failure.kind() == FailureKind.AUTH_ERROR
        ? new TurnEnd.Fatal(ExitCode.AUTH_FAILURE, error)
        : new TurnEnd.Errored(error, attempts);
  }

  private Next fatal(CallResult.Failed failure, TurnError error, @Nullable TurnError before) {
    ExitCode exit = exit(failure);
    run.events()
        .log(SessionEvent.Level.ERR, "agent:turn", exit.wireName() + ": " + error.message());
    boolean bound = failure.kind() == FailureKind.OUT_OF_BUDGET;
    TurnError shown = bound && before != null ? before.cutOff(failure.message()) : error;
    return new End(new TurnEnd.Fatal(exit, shown));
  }

  /** B13: by the type, never by the words. */
  private static ExitCode exit(CallResult.Failed failure) {
    return switch (failure.kind()) {
      case AUTH_ERROR -> ExitCode.AUTH_FAILURE;
      case QUOTA_EXCEEDED -> ExitCode.QUOTA_EXCEEDED;
      case TIMEOUT -> ExitCode.INACTIVITY_TIMEOUT;
      case OUT_OF_BUDGET ->
          Budget.COST_LIMIT.equals(failure.code()) ? ExitCode.COST_LIMIT : ExitCode.BUDGET_EXCEEDED;
      default -> ExitCode.NO_LLM_RESPONSE;
    };
  }
}
