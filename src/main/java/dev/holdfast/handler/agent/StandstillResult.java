package dev.holdfast.handler.agent;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.llm.Standstill;
import dev.holdfast.session.SessionResult;
import dev.holdfast.ticket.TicketWait;
import dev.holdfast.worker.HandlerResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What becomes of a ticket none of whose models is to be called now. */
final class StandstillResult {
  static final String ACCOUNT_UNAVAILABLE = "account_unavailable: ";
  static final String BUDGET_EXCEEDED = "budget_exceeded: ";

  private StandstillResult() {}

  /** Put off where it passes by itself, else held until a person has mended or raised something. */
  static HandlerResult of(SessionResult.StoodStill still) {
    Standstill why = still.why();
    Duration left = why.left();
    if (left != null) {
      return new HandlerResult.Deferred(left, wait(TicketWait.Kind.PROVIDER, why));
    }
    String scope = why.scopes().getFirst();
    return switch (why.kind()) {
      case COOLING, ACCOUNT ->
          new HandlerResult.Held(
              ACCOUNT_UNAVAILABLE
                  + why.words()
                  + "; when it is mended: holdfast providers mend "
                  + scope.substring(0, Math.max(0, scope.indexOf('/'))),
              report(still, Category.API_ERROR),
              wait(TicketWait.Kind.ACCOUNT, why));
      case BUDGET ->
          new HandlerResult.Held(
              BUDGET_EXCEEDED
                  + why.words()
                  + "; raise it: holdfast budgets raise "
                  + scope
                  + " --to USD",
              report(still, Category.TRANSIENT),
              wait(TicketWait.Kind.BUDGET, why));
    };
  }

  private static TicketWait wait(TicketWait.Kind kind, Standstill why) {
    return new TicketWait(kind, why.scopes(), why.words(), why.neededUsd());
  }

  private static ErrorReport report(SessionResult.StoodStill still, Category category) {
    @Nullable String error = still.error();
    @Nullable Integer status = still.last() == null ? null : still.last().httpStatus();
    return new ErrorReport(
        error == null ? still.why().words() : error, null, status, null, category, null);
  }
}
