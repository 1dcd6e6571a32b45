package dev.holdfast.llm.account;

import dev.holdfast.llm.ChatProvider;
import dev.holdfast.retry.Sleeper;

/** Guards the providers of a worker's attempts. Thread-safe. */
public final class Accounts implements CallGuard {
  private final AccountCache book;
  private final BudgetGuard purse;
  private final AccountListener listener;

  /**
   * @param sleeper for short waits where a budget's rest is reserved by calls on their way
   */
  public Accounts(AccountCache book, Sleeper sleeper, AccountListener listener) {
    this.book = book;
    this.purse = new BudgetGuard(book, sleeper);
    this.listener = listener;
  }

  @Override
  public ChatProvider guard(ChatProvider provider, CallOf call) {
    return new GuardedProvider(provider, book, purse, listener, call);
  }
}
