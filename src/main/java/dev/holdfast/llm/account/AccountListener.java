package dev.holdfast.llm.account;

/** Hears of accounts that close, once per cluster, and of calls that were not made. */
public interface AccountListener {
  AccountListener NONE = new AccountListener() {};

  /** An account has closed, and this worker was the first to find it out. */
  default void closed(AccountFailure failure) {}

  /** A call was not sent; the reason is cooling, account or budget. */
  default void refused(String provider, String why) {}
}
