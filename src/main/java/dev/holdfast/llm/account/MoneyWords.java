package dev.holdfast.llm.account;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Makes the texts about money for people. */
public final class MoneyWords {
  private MoneyWords() {}

  /**
   * Says why a call does not fit, in USD.
   *
   * @param reserved by calls that were sent before
   * @param limit null for none
   * @param next what the call may cost at worst; zero where no call was asked for
   */
  public static String noRoom(
      BigDecimal spent, BigDecimal reserved, @Nullable BigDecimal limit, BigDecimal next) {
    return usd(spent)
        + " USD spent"
        + (reserved.signum() > 0 ? " and " + usd(reserved) + " reserved by calls on their way" : "")
        + " of "
        + (limit == null ? "0" : usd(limit))
        + (next.signum() > 0 ? ", the next call may cost " + usd(next) : "");
  }

  private static String usd(BigDecimal amount) {
    return amount.stripTrailingZeros().toPlainString();
  }
}
