package dev.holdfast.session;

import dev.holdfast.llm.BrokenOffException;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.retry.Route;
import dev.holdfast.session.retry.StopSignal;
import dev.holdfast.session.retry.TurnAttempt;
import dev.holdfast.session.retry.TurnError;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Calls a model once and writes down what came of it. */
record AttemptRunner(
    RunState run,
    SessionPorts ports,
    StopSignal signal,
    ChatRequests requests,
    Budget budget,
    AnswerReview review) {
  /** An answer that is accepted is in the journal when this returns. */
  TurnAttempt run(int attempt, Route route) throws InterruptedException {
    Target target = route.target();
    List<Message.User> shown = run.notices().pending();
    Budget.Permit permit =
        budget.take(
            route,
            requests.to(target, run.memory().history(), shown, run.progress().forced() != null));
    ChatRequest request = permit.request();
    if (request == null) {
      TurnError refused = TurnError.of(target, Objects.requireNonNull(permit.refused()));
      return failed(attempt, route, refused, Usage.NONE, Duration.ZERO);
    }
    long start = ports.nanoTime().getAsLong();
    CallResult result;
    try {
      result = signal.call(() -> route.provider().call(request, run.events().stream()));
    } catch (RuntimeException e) {
      return failed(attempt, route, TurnError.thrown(target, e), Usage.NONE, since(start));
    } catch (InterruptedException e) {
      run.keepBrokenOff(attempt, route, "aborted", e);
      tellAborted(attempt, route, e, since(start));
      throw e;
    }
    return switch (result) {
      case CallResult.Failed failure -> {
        run.keepPaid(attempt, route, failure.kind().wireName(), failure.usage());
        TurnError error = TurnError.of(target, failure);
        yield failed(attempt, route, error, failure.usage(), since(start));
      }
      case CallResult.Answer answer -> answered(attempt, route, answer, shown, since(start));
      case CallResult.Refused none -> {
        budget.giveBackCall();
        yield TurnAttempt.refused(attempt, target, none.why());
      }
    };
  }

  private TurnAttempt answered(
      int attempt,
      Route route,
      CallResult.Answer answer,
      List<Message.User> shown,
      Duration latency) {
    run.progress().stoppedWith(answer.stop().name().toLowerCase(Locale.ROOT));
    int turn = run.progress().turn();
    Target target = route.target();
    Usage usage = answer.usage();
    BigDecimal cost = route.provider().cost(target.model(), usage).orElse(null);
    return switch (review.review(answer)) {
      case AnswerReview.Reviewed.Accepted accepted -> {
        Message.Assistant message = accepted.message();
        // B61: the notices become part of the history together with the answer they led to.
        run.notices().persisted(shown);
        run.progress().answerAccepted();
        run.memory()
            .record(
                new JournalEntry.Answered(
                    turn,
                    attempt,
                    target,
                    shown,
                    message,
                    answer.stop(),
                    usage,
                    cost,
                    true,
                    run.standing()));
        yield new TurnAttempt(attempt, target, "ok", usage, cost, latency, null);
      }
      case AnswerReview.Reviewed.Rejected rejected -> {
        String why = rejected.message();
        run.progress().answerDiscarded();
        run.memory()
            .record(
                new JournalEntry.Discarded(
                    turn, attempt, target, why, usage, cost, run.standing(), false));
        TurnError error = TurnError.invalid(target, why);
        yield new TurnAttempt(attempt, target, rejected.status(), usage, cost, latency, error);
      }
    };
  }

  private static TurnAttempt failed(
      int attempt, Route route, TurnError error, Usage usage, Duration latency) {
    return tried(attempt, route, error.type(), usage, latency, error);
  }

  private void tellAborted(int attempt, Route route, InterruptedException e, Duration latency) {
    Usage usage = e instanceof BrokenOffException brokenOff ? brokenOff.usage() : Usage.NONE;
    TurnAttempt aborted = tried(attempt, route, "aborted", usage, latency, null);
    run.events().emit(aborted.event(run.progress().turn(), Duration.ZERO));
  }

  /**
   * Makes the record of a try without an answer, with the usage that counts in the journal (B72).
   */
  private static TurnAttempt tried(
      int attempt,
      Route route,
      String status,
      Usage usage,
      Duration latency,
      @Nullable TurnError error) {
    BigDecimal cost =
        usage.equals(Usage.NONE)
            ? null
            : route.provider().cost(route.target().model(), usage).orElse(null);
    return new TurnAttempt(attempt, route.target(), status, usage, cost, latency, error);
  }

  private Duration since(long start) {
    return Duration.ofNanos(ports.nanoTime().getAsLong() - start);
  }
}
