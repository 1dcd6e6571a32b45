package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.RetryContext;
import dev.holdfast.llm.account.MoneyWords;
import dev.holdfast.llm.account.WorstCost;
import dev.holdfast.session.report.Spent;
import dev.holdfast.session.report.UsedUp;
import dev.holdfast.session.retry.Route;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The limits for all layers of an execution together: calls, time, tokens and money. What a call
 * may cost at worst has to fit before it is sent. Not thread-safe.
 */
final class Budget {
  static final String COST_LIMIT = "cost_limit";

  /** The least output tokens of a call: a shorter answer is not worth asking for. */
  private static final int LEAST_OUTPUT_TOKENS = 256;

  private final RetryContext context;
  private final Supplier<Optional<BigDecimal>> ownLimit;
  private final Allowance allowance;
  private final Memory memory;
  private @Nullable BigDecimal ticketUsd;
  private @Nullable Spent atStart;
  private @Nullable UsedUp usedUp;

  /**
   * @param ownLimit of the ticket, as it is now
   */
  Budget(
      RetryContext context,
      SessionSettings settings,
      Memory memory,
      Supplier<Optional<BigDecimal>> ownLimit) {
    this.context = context;
    this.allowance = settings.allowance();
    this.ticketUsd =
        allowance.costUsd() == null ? settings.limits().maxCostUsd() : allowance.costUsd();
    this.memory = memory;
    this.ownLimit = ownLimit;
  }

  /**
   * @param request as it may be sent, its answer made shorter where only that fits; null where none
   *     may be sent
   * @param refused why not; null where it may
   */
  record Permit(@Nullable ChatRequest request, CallResult.@Nullable Failed refused) {}

  /** Takes one call. */
  Permit take(Route route, ChatRequest request) {
    Permit permit = permit(route, request);
    return permit.request() == null || context.takeCall()
        ? permit
        : new Permit(null, timeOrCalls());
  }

  /** Returns the permit for a call that the caller itself takes off the budget. */
  Permit permit(Route route, ChatRequest request) {
    if (atStart == null) {
      atStart = memory.spent();
    }
    CallResult.Failed used = overBound();
    if (used != null) {
      return new Permit(null, used);
    }
    if (!fits(route, request)) {
      // A person may have raised the limit since the attempt began.
      ticketUsd = ownLimit.get().orElse(ticketUsd);
    }
    ChatRequest fitting = fitting(route, request);
    return fitting == null ? new Permit(null, noRoom(route, request)) : new Permit(fitting, null);
  }

  private CallResult.@Nullable Failed overBound() {
    Spent spent = memory.spent();
    if (allowance.answers() > 0 && spent.answers() >= allowance.answers()) {
      return over(
          allowance.scope(),
          false,
          spent.answers() + " of " + allowance.answers() + " answers used");
    }
    if (allowance.tokens() > 0 && spent.usage().context() >= allowance.tokens()) {
      return over(
          allowance.scope(),
          false,
          spent.usage().context() + " of " + allowance.tokens() + " tokens used");
    }
    long ofAttempt = spent.usage().context() - start().usage().context();
    if (allowance.attemptTokens() > 0 && ofAttempt >= allowance.attemptTokens()) {
      return over(
          "attempt", false, ofAttempt + " of " + allowance.attemptTokens() + " tokens used");
    }
    return null;
  }

  private Spent start() {
    return atStart == null ? Spent.NOTHING : atStart;
  }

  /**
   * Returns the request, shortened if needed; null where it does not fit even with a short answer.
   */
  private @Nullable ChatRequest fitting(Route route, ChatRequest asked) {
    if (worst(route, asked).signum() == 0) {
      return asked;
    }
    // A longer answer than the one that was checked would exceed the limit.
    ChatRequest request = asked.bounded(allowance.outputTokens());
    int least = leastOutputTokens(request);
    int tokens = outputTokens(request);
    while (!fits(route, request)) {
      if (tokens == least) {
        return null;
      }
      tokens = Math.max(least, tokens / 2);
      request = request.withMaxOutputTokens(tokens);
    }
    return request;
  }

  private int outputTokens(ChatRequest request) {
    Integer own = request.maxOutputTokens();
    return own == null ? allowance.outputTokens() : own;
  }

  private int leastOutputTokens(ChatRequest request) {
    return Math.min(LEAST_OUTPUT_TOKENS, outputTokens(request));
  }

  private boolean fits(Route route, ChatRequest request) {
    BigDecimal worst = worst(route, request);
    return worst.signum() == 0
        || (fits(worst, ticketUsd, memory.spent().costUsd())
            && fits(worst, allowance.attemptCostUsd(), attemptCost()));
  }

  private static boolean fits(BigDecimal worst, @Nullable BigDecimal limit, BigDecimal spent) {
    return limit == null || spent.add(worst).compareTo(limit) <= 0;
  }

  private BigDecimal attemptCost() {
    return memory.spent().costUsd().subtract(start().costUsd());
  }

  private BigDecimal worst(Route route, ChatRequest request) {
    return ticketUsd == null && allowance.attemptCostUsd() == null
        ? BigDecimal.ZERO
        : WorstCost.of(route.provider(), request, allowance.outputTokens()).orElse(BigDecimal.ZERO);
  }

  private CallResult.Failed noRoom(Route route, ChatRequest request) {
    BigDecimal least = worst(route, request.withMaxOutputTokens(leastOutputTokens(request)));
    boolean byTicket = !fits(least, ticketUsd, memory.spent().costUsd());
    BigDecimal limit = byTicket ? ticketUsd : allowance.attemptCostUsd();
    BigDecimal spent = byTicket ? memory.spent().costUsd() : attemptCost();
    return over(
        byTicket ? allowance.scope() : "attempt",
        true,
        MoneyWords.noRoom(spent, BigDecimal.ZERO, limit, least));
  }

  private CallResult.Failed timeOrCalls() {
    Duration ticketTime = allowance.time();
    if (ticketTime != null && context.timeLeft().isZero()) {
      return over(allowance.scope(), false, "the time that it may be worked on is used up");
    }
    return refused("the execution's model calls or time are used up", null);
  }

  /** Gives back a call that was taken but for which nothing was sent. */
  void giveBackCall() {
    context.giveBackCall();
  }

  /** True if a wait would go past the deadline. */
  boolean endsBefore(Duration wait) {
    return !wait.isZero() && wait.compareTo(context.timeLeft()) >= 0;
  }

  private CallResult.Failed over(String scope, boolean money, String words) {
    usedUp = new UsedUp(scope, money, words);
    return refused(scope + ": " + words, COST_LIMIT);
  }

  /** The bound that has refused the last call; null where none has. */
  @Nullable UsedUp usedUp() {
    return usedUp;
  }

  static CallResult.Failed refused(String message, @Nullable String code) {
    return new CallResult.Failed(
        FailureKind.OUT_OF_BUDGET, false, message, null, code, null, false, null);
  }
}
