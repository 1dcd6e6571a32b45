package dev.holdfast.llm.account;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The cluster's records of accounts and budgets. Its clock is the database's; times come and go as
 * durations only. Thread-safe; throws where the database cannot be asked.
 */
public interface AccountStore {
  /**
   * The state of accounts before a call.
   *
   * @param closures all rows
   * @param budgets the scopes that have a budget
   */
  record State(List<Closure> closures, Set<String> budgets) {
    public State {
      closures = List.copyOf(closures);
      budgets = Set.copyOf(budgets);
    }
  }

  /** The answer to somebody who wants to try whether a cool-down is over. */
  enum Probe {
    /** The cool-down is over already. */
    OPEN,
    /** The caller is the one who tries. */
    TAKEN,
    /** Somebody else tries, or the cool-down has not ended. */
    WAIT
  }

  State state();

  /**
   * Starts or lengthens a cool-down; never shortens one.
   *
   * @return whether it was open before: the one time to tell people
   */
  boolean failed(AccountFailure failure, long ticketId);

  /**
   * @param atMost how long others wait for the try
   */
  Probe takeProbe(Scope scope, Duration atMost);

  /** Ends a try that showed nothing about the account. */
  void endProbe(Scope scope);

  /** Records an answer; a cool-down that has not ended stays. */
  void answered(Scope scope);

  /** The answer to reserving a call's worst cost in its budgets. */
  sealed interface Reservation {
    record Granted(long id) implements Reservation {}

    /**
     * @param scope of the budget without room
     * @param reserved by calls on their way, which may turn out cheaper
     */
    record NoRoom(String scope, BigDecimal spent, BigDecimal reserved, BigDecimal limit)
        implements Reservation {}
  }

  /** Reserves the money in all of the budgets, or in none. */
  Reservation reserve(List<String> budgets, BigDecimal usd, long ticketId, long leaseNo);

  /** Books what the call has cost. An interrupt of the thread does not cut this off. */
  void settle(long reservation, BigDecimal usd);

  /**
   * Does the work that one worker of the cluster has to do now and then.
   *
   * @return the outages that people are to be told of now, in words; each comes once in the cluster
   */
  List<String> upkeep(OutageSettings outages);
}
