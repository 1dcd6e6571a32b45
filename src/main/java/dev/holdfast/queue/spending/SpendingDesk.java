package dev.holdfast.queue.spending;

import dev.holdfast.queue.Channel;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Providers and budgets, for people to read and change. Each change is one transaction and is
 * logged with its actor. Thread-safe.
 */
public interface SpendingDesk {
  /** Returns the same desk; what is done through it is recorded as done through this channel. */
  SpendingDesk through(Channel channel);

  /** Returns the providers and accounts that are not called now. */
  List<ProviderStatus> providers();

  List<BudgetStatus> budgets();

  /**
   * @param accounts that are open again
   * @param released tickets that were held
   * @param woken tickets that were put off
   */
  record Mended(long accounts, long released, long woken) {}

  /**
   * Opens a provider's accounts again and lets go all tickets that wait for them.
   *
   * @param keyId null for all of its keys
   * @throws dev.holdfast.ticket.NotFoundException if none of its accounts is closed
   */
  Mended mend(String provider, String actor, @Nullable String keyId);

  /**
   * Sets a budget, and makes it if there is none.
   *
   * @param scope day, design:NAME, key:PROVIDER/KEY_ID or ticket:ID
   * @param per day or total; null leaves it, and is day for a new one
   * @return how many held tickets this has released
   * @throws dev.holdfast.ticket.InvalidInputException for a bad scope or amount
   */
  long raise(String scope, BigDecimal usd, String actor, @Nullable String per);

  /**
   * @return how many held tickets this has released
   */
  long remove(String scope, String actor);
}
