package dev.holdfast.llm.account;

import dev.holdfast.failure.ShortText;
import dev.holdfast.llm.Account;
import dev.holdfast.llm.CallResult;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A failed call that says something of its account rather than of its request.
 *
 * @param detail the provider's words, shortened; never a key
 * @param hint how long it asks to wait
 * @param weak whether the request itself may be to blame, as for a plain 500 and an answer that was
 *     cut: such a one counts only where another ticket's came before it
 */
public record AccountFailure(
    Scope scope,
    Reason reason,
    String detail,
    @Nullable Integer httpStatus,
    @Nullable Duration hint,
    boolean weak) {
  private static final int MAX_DETAIL = 300;
  private static final Pattern USAGE_LIMIT =
      Pattern.compile("usage.?limit", Pattern.CASE_INSENSITIVE);

  /** The reason, as in {@code provider_cooldowns.reason}. */
  public enum Reason {
    RATE_LIMIT,
    OVERLOADED,
    OUTAGE,
    USAGE_LIMIT,
    AUTH,
    QUOTA;

    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** True if another key of the same provider may fare better. */
  boolean ofOneKey() {
    return !scope.keyId().isEmpty();
  }

  /**
   * @param byModel whether a rate limit is the model's rather than the account's
   * @return empty where the account is not to blame
   */
  static Optional<AccountFailure> of(
      Account account, String model, CallResult.Failed failed, boolean byModel) {
    Scope limited = byModel ? Scope.ofModel(account, model) : Scope.ofAccount(account);
    Scope provider = Scope.ofProvider(account.provider());
    return switch (failed.kind()) {
      case RATE_LIMIT ->
          Optional.of(
              isUsageLimit(failed)
                  ? failure(Scope.ofAccount(account), Reason.USAGE_LIMIT, failed, false)
                  : failure(limited, Reason.RATE_LIMIT, failed, false));
      case QUOTA_EXCEEDED ->
          Optional.of(failure(Scope.ofAccount(account), Reason.QUOTA, failed, false));
      case AUTH_ERROR ->
          Optional.of(failure(refused(account, model, failed), Reason.AUTH, failed, false));
      case NETWORK_ERROR -> ofConnection(provider, failed);
      case MODEL_ERROR -> ofServer(provider, failed);
      case TIMEOUT, INVALID_RESPONSE, CONTEXT_OVERFLOW, OUT_OF_BUDGET -> Optional.empty();
    };
  }

  /**
   * Makes the failure of a connection. It is weak where the server began to answer: then the server
   * may work for every request but this one.
   */
  private static Optional<AccountFailure> ofConnection(Scope provider, CallResult.Failed failed) {
    boolean begun = failed.httpStatus() != null;
    return failed.retryable()
        ? Optional.of(failure(provider, Reason.OUTAGE, failed, begun))
        : Optional.empty();
  }

  /**
   * True if a plan's allowance is used up. It belongs to the account, whatever model reached its
   * end (D14).
   */
  private static boolean isUsageLimit(CallResult.Failed failed) {
    return USAGE_LIMIT.matcher(failed.code() + " " + failed.message()).find();
  }

  private static Optional<AccountFailure> ofServer(Scope provider, CallResult.Failed failed) {
    int status = failed.httpStatus() == null ? 0 : failed.httpStatus();
    String code = failed.code() == null ? "" : failed.code().toLowerCase(Locale.ROOT);
    if (failed.retryable() && (status == 529 || code.contains("overloaded"))) {
      return Optional.of(failure(provider, Reason.OVERLOADED, failed, false));
    }
    if (failed.retryable() && (status >= 500 || code.contains("unavailable"))) {
      boolean weak = status != 503 && status != 502 && !code.contains("unavailable");
      return Optional.of(failure(provider, Reason.OUTAGE, failed, weak));
    }
    return Optional.empty();
  }

  /**
   * Returns the scope of a refused key: a key that is refused for one model may be good for others.
   */
  private static Scope refused(Account account, String model, CallResult.Failed failed) {
    boolean wholeKey = failed.httpStatus() == null || failed.httpStatus() == 401;
    return wholeKey ? Scope.ofAccount(account) : Scope.ofModel(account, model);
  }

  private static AccountFailure failure(
      Scope scope, Reason reason, CallResult.Failed failed, boolean weak) {
    Duration hint = failed.retryAfter();
    boolean usable = hint != null && !hint.isNegative();
    return new AccountFailure(
        scope, reason, cut(failed.message()), failed.httpStatus(), usable ? hint : null, weak);
  }

  private static String cut(String text) {
    return ShortText.of(text.strip().lines().findFirst().orElse(""), MAX_DETAIL);
  }
}
