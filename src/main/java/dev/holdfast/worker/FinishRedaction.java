package dev.holdfast.worker;

import dev.holdfast.failure.ErrorReport;
import dev.holdfast.failure.Failure;
import dev.holdfast.queue.Finish;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.secret.Secrets;
import dev.holdfast.ticket.TicketWait;
import org.jspecify.annotations.Nullable;

/**
 * Takes secrets out of what an attempt leaves in its ticket's row. Every handler's outcome passes
 * here, whatever the handler did itself.
 */
record FinishRedaction(Secrets secrets) {
  Finish of(Finish finish) {
    return switch (finish) {
      case Finish.Succeeded each ->
          new Finish.Succeeded(
              each.ticketId(),
              each.leaseNo(),
              each.result() == null ? null : secrets.redactJson(each.result()),
              each.review(),
              each.enqueues() == null ? null : secrets.redactJson(each.enqueues()));
      case Finish.Advanced each ->
          new Finish.Advanced(each.ticketId(), each.leaseNo(), secrets.redactJson(each.plan()));
      case Finish.Failed each ->
          new Finish.Failed(
              each.ticketId(),
              each.leaseNo(),
              failure(each.failure()),
              hold(each.hold()),
              each.waitsFor() == null ? null : wait(each.waitsFor()),
              each.firstAttempt());
      case Finish.Parked each ->
          new Finish.Parked(
              each.ticketId(),
              each.leaseNo(),
              secrets.redact(each.reason()),
              each.actions(),
              secrets.redactJson(each.details()));
      case Finish.Deferred each ->
          new Finish.Deferred(each.ticketId(), each.leaseNo(), each.delay(), wait(each.waitsFor()));
      case Finish.GivenBack each -> each;
    };
  }

  /** Returns the report without secrets in its text. */
  ErrorReport of(ErrorReport report) {
    return report.withText(secrets.redact(report.text()));
  }

  private Failure failure(Failure failure) {
    return new Failure(
        secrets.redact(failure.message()),
        failure.category(),
        failure.rule(),
        secrets.redact(failure.evidence()),
        failure.retryAfter(),
        failure.httpStatus(),
        failure.fingerprint(),
        secrets.redact(failure.title()));
  }

  private RetryDecision.@Nullable Hold hold(RetryDecision.@Nullable Hold hold) {
    return hold == null
        ? null
        : new RetryDecision.Hold(hold.cause(), secrets.redact(hold.reason()));
  }

  private TicketWait wait(TicketWait wait) {
    return new TicketWait(
        wait.kind(), wait.scopes(), secrets.redact(wait.words()), wait.neededUsd());
  }
}
