package dev.holdfast.handler;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.llm.Standstill;
import dev.holdfast.ticket.TicketWait;
import dev.holdfast.worker.HandlerResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The result for a ticket none of whose models may be called now. */
public final class StandstillResult {
  static final String ACCOUNT_UNAVAILABLE = "account_unavailable: ";

  /** The beginning of the reason of a hold for used-up money. */
  public static final String BUDGET_EXCEEDED = "budget_exceeded: ";

  private StandstillResult() {}

  /**
   * Puts the ticket off where the obstacle passes by itself; otherwise holds it until a person has
   * fixed or raised something.
   */
  public static HandlerResult of(
      Standstill why, @Nullable String error, @Nullable Integer httpStatus) {
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
              report(why, error, httpStatus, Category.API_ERROR),
              wait(TicketWait.Kind.ACCOUNT, why));
      case BUDGET ->
          new HandlerResult.Held(
              BUDGET_EXCEEDED
                  + why.words()
                  + (why.neededUsd() == null
                      ? ", then release"
                      : "; raise it: holdfast budgets raise " + scope + " --to USD"),
              report(why, error, httpStatus, Category.TRANSIENT),
              wait(TicketWait.Kind.BUDGET, why));
    };
  }

  private static TicketWait wait(TicketWait.Kind kind, Standstill why) {
    return new TicketWait(kind, why.scopes(), why.words(), why.neededUsd());
  }

  private static ErrorReport report(
      Standstill why, @Nullable String error, @Nullable Integer httpStatus, Category category) {
    return new ErrorReport(
        error == null ? why.words() : error, null, httpStatus, null, category, null);
  }
}
