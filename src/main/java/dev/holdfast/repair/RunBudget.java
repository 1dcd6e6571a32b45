package dev.holdfast.repair;

import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.account.MoneyWords;
import dev.holdfast.llm.account.WorstCost;
import dev.holdfast.repair.trace.RunLog;
import dev.holdfast.repair.trace.Spending;
import dev.holdfast.retry.DurationText;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a run, over all its attempts (E16), and of its ticket's money over all runs. The
 * worst cost of a call has to fit beside the calls that are under way. Thread-safe.
 */
final class RunBudget {
  private final RepairSettings.Limits limits;
  private final RunLog log;
  private final RepairRun.Money money;
  private final String ticket;
  private final BigDecimal ofTicketBefore;
  private final BigDecimal ofRunBefore;
  private Optional<BigDecimal> ofTicket;
  private BigDecimal spentHere = BigDecimal.ZERO;
  private BigDecimal underWay = BigDecimal.ZERO;

  /**
   * @param ticket such as ticket:17
   * @param spent by all runs of the ticket so far
   */
  RunBudget(
      RepairSettings.Limits limits,
      RunLog log,
      RepairRun.Money money,
      String ticket,
      BigDecimal spent) {
    this.limits = limits;
    this.log = log;
    this.money = money;
    this.ticket = ticket;
    this.ofTicketBefore = spent;
    this.ofRunBefore = log.spending().costUsd();
    this.ofTicket = money.ofTicket().get();
  }

  RunLog log() {
    return log;
  }

  /**
   * @throws BudgetExceededException where nothing more may be begun
   */
  void requireLeft() {
    String noRoom = noRoomFor(BigDecimal.ZERO);
    if (noRoom != null) {
      throw new BudgetExceededException(noRoom);
    }
    Spending spent = log.spending();
    if (spent.calls() >= limits.maxCalls()) {
      throw outOfCalls(spent.calls());
    }
    if (timeLeft().isZero()) {
      throw outOfTime();
    }
  }

  /** Bounds the answer: a longer one than the one that was checked would exceed the limit. */
  synchronized ChatRequest bounded(ChatRequest request) {
    return limit() == null ? request : request.bounded(money.outputTokens());
  }

  /** Returns the worst cost in USD; zero where the model has no price. */
  BigDecimal worst(ChatProvider provider, ChatRequest request) {
    return WorstCost.of(provider, request, money.outputTokens()).orElse(BigDecimal.ZERO);
  }

  /** Reserves what a call may cost, or says why it may not be sent. */
  synchronized @Nullable String reserve(BigDecimal worst) {
    String noRoom = worst.signum() == 0 ? null : noRoomFor(worst);
    if (noRoom == null) {
      underWay = underWay.add(worst);
    }
    return noRoom;
  }

  /** Replaces what was reserved for a call by what it has cost. */
  synchronized void settle(BigDecimal worst, BigDecimal cost) {
    underWay = underWay.subtract(worst);
    spentHere = spentHere.add(cost);
  }

  private synchronized @Nullable String noRoomFor(BigDecimal worst) {
    if (fits(worst)) {
      return null;
    }
    ofTicket = money.ofTicket().get();
    return fits(worst) ? null : noRoom(worst);
  }

  private boolean fits(BigDecimal worst) {
    BigDecimal limit = limit();
    if (limit == null) {
      return true;
    }
    return worst.signum() == 0
        ? spent().signum() == 0 || spent().compareTo(limit) < 0
        : spent().add(underWay).add(worst).compareTo(limit) <= 0;
  }

  private @Nullable BigDecimal limit() {
    return ofTicket.orElse(limits.maxCostUsd());
  }

  private BigDecimal spent() {
    return (ofTicket.isPresent() ? ofTicketBefore : ofRunBefore).add(spentHere);
  }

  private String noRoom(BigDecimal worst) {
    return ticket + ": " + MoneyWords.noRoom(spent(), underWay, limit(), worst);
  }

  /** Makes the error for a run whose calls are all taken, some of them by requests under way. */
  BudgetExceededException outOfCalls() {
    return outOfCalls(limits.maxCalls());
  }

  private BudgetExceededException outOfCalls(int calls) {
    return new BudgetExceededException(
        "calls: %s of the %s allowed (limits.max_calls)".formatted(calls, limits.maxCalls()));
  }

  BudgetExceededException outOfTime() {
    return new BudgetExceededException(
        "time: the "
            + DurationText.format(limits.maxDuration())
            + " allowed (limits.max_duration) are over");
  }

  Duration timeLeft() {
    Duration left = limits.maxDuration().minus(log.elapsed());
    return left.isNegative() ? Duration.ZERO : left;
  }

  int callsLeft() {
    return Math.max(0, limits.maxCalls() - log.spending().calls());
  }

  Duration callTimeout() {
    return limits.llmTimeout();
  }

  /** Returns the longest answer; null for the provider's own limit. */
  @Nullable Integer longestAnswer() {
    return limits.maxOutputTokens();
  }
}
