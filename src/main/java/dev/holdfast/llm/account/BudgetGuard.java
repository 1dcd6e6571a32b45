package dev.holdfast.llm.account;

import dev.holdfast.llm.Account;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.account.AccountStore.Reservation;
import dev.holdfast.retry.Sleeper;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the worst cost of a call out of the shared budgets before it is sent, and books its real
 * cost after it. Asks nothing where no budget is set. Thread-safe.
 */
final class BudgetGuard {
  private static final Logger LOG = LoggerFactory.getLogger(BudgetGuard.class);
  private static final String OF_KEY = "key:";
  private static final Duration FIRST_LOOK = Duration.ofMillis(100);

  private final AccountCache book;
  private final Sleeper sleeper;
  private final Set<String> unpriced = ConcurrentHashMap.newKeySet();

  BudgetGuard(AccountCache book, Sleeper sleeper) {
    this.book = book;
    this.sleeper = sleeper;
  }

  /** The answer to a call that wants to spend money. */
  sealed interface Grant {
    /** No budget is concerned. */
    record Free() implements Grant {}

    record Reserved(long id, BigDecimal worst) implements Grant {}

    record None(Standstill why) implements Grant {}
  }

  /**
   * Reserves a call's worst cost. Waits a little where the rest of a budget is reserved by calls on
   * their way.
   */
  Grant reserve(ChatProvider provider, Account account, ChatRequest request, CallOf call)
      throws InterruptedException {
    List<String> budgets = book.budgets(scopes(account, call.design()));
    if (budgets.isEmpty()) {
      return new Grant.Free();
    }
    Optional<BigDecimal> worst = WorstCost.of(provider, request, book.settings().outputTokens());
    if (worst.isEmpty()) {
      return withoutPrice(account.provider() + "/" + request.model(), budgets);
    }
    if (worst.get().signum() == 0) {
      return new Grant.Free();
    }
    return reserve(budgets, worst.get(), call);
  }

  /** Bounds the answer by what was reserved: a longer one would take the budget past its limit. */
  ChatRequest asReserved(Grant grant, ChatRequest request) {
    return grant instanceof Grant.Reserved
        ? request.bounded(book.settings().outputTokens())
        : request;
  }

  private Grant reserve(List<String> budgets, BigDecimal worst, CallOf call)
      throws InterruptedException {
    Duration look = FIRST_LOOK;
    Duration waited = Duration.ZERO;
    while (true) {
      switch (book.store().reserve(budgets, worst, call.ticketId(), call.leaseNo())) {
        case Reservation.Granted granted -> {
          return new Grant.Reserved(granted.id(), worst);
        }
        case Reservation.NoRoom full -> {
          boolean usedUp = full.spent().add(worst).compareTo(full.limit()) > 0;
          Duration wait = book.around(look);
          if (usedUp
              || waited.compareTo(book.settings().waitInSession()) >= 0
              || wait.compareTo(call.context().timeLeft()) >= 0) {
            return new Grant.None(noRoom(full, worst, usedUp));
          }
          call.context().sleep(sleeper, wait);
          waited = waited.plus(wait);
          look = look.multipliedBy(2);
        }
      }
    }
  }

  private Standstill noRoom(Reservation.NoRoom full, BigDecimal worst, boolean usedUp) {
    String words =
        "budget "
            + full.scope()
            + ": "
            + MoneyWords.noRoom(full.spent(), full.reserved(), full.limit(), worst);
    return new Standstill(
        Standstill.Kind.BUDGET,
        usedUp ? null : book.around(book.settings().baseDelay()),
        false,
        List.of(full.scope()),
        words,
        worst);
  }

  /** True if another key of the same provider may have room. */
  static boolean isOfOneKey(Standstill why) {
    return why.kind() == Standstill.Kind.BUDGET
        && why.scopes().stream().allMatch(scope -> scope.startsWith(OF_KEY));
  }

  private Grant withoutPrice(String target, List<String> budgets) {
    String words = target + " has no price, so that budget " + budgets.getFirst();
    if (book.settings().refuseUnpriced()) {
      return new Grant.None(
          new Standstill(
              Standstill.Kind.BUDGET,
              null,
              false,
              budgets,
              words + " cannot bound it: set providers.<name>.prices",
              null));
    }
    if (unpriced.add(target)) {
      LOG.warn(
          "{} does not count it: set providers.<name>.prices, or budgets.unpriced: refuse", words);
    }
    return new Grant.Free();
  }

  private static List<String> scopes(Account account, @Nullable String design) {
    List<String> scopes = new ArrayList<>();
    scopes.add("day");
    if (design != null) {
      scopes.add("design:" + design);
    }
    scopes.add(OF_KEY + account.provider() + "/" + account.keyId());
    return scopes;
  }

  /**
   * @param result null where the call was broken off: it was possibly billed, so its worst counts
   */
  void settle(Grant grant, ChatProvider provider, String model, @Nullable CallResult result) {
    if (grant instanceof Grant.Reserved reserved) {
      settle(reserved, cost(reserved.worst(), provider, model, result));
    }
  }

  /** Gives back the reservation of a call that is not sent after all. */
  void giveBack(Grant grant) {
    if (grant instanceof Grant.Reserved reserved) {
      settle(reserved, BigDecimal.ZERO);
    }
  }

  private void settle(Grant.Reserved reserved, BigDecimal cost) {
    try {
      book.store().settle(reserved.id(), cost);
    } catch (RuntimeException e) {
      LOG.warn("a call's cost cannot be booked now; its reservation counts instead", e);
    }
  }

  private static BigDecimal cost(
      BigDecimal worst, ChatProvider provider, String model, @Nullable CallResult result) {
    return switch (result) {
      case null -> worst;
      case CallResult.Answer answer -> cost(worst, provider, model, answer.usage());
      case CallResult.Failed failed -> failed.maybeBilled() ? worst : BigDecimal.ZERO;
      case CallResult.Refused refused -> BigDecimal.ZERO;
    };
  }

  private static BigDecimal cost(
      BigDecimal worst, ChatProvider provider, String model, Usage usage) {
    return usage.equals(Usage.NONE) ? worst : provider.cost(model, usage).orElse(worst);
  }
}
