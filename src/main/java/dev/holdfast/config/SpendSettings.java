package dev.holdfast.config;

import dev.holdfast.llm.Account;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.account.AccountSettings;
import dev.holdfast.llm.account.OutageSettings;
import dev.holdfast.session.Allowance;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The settings of cool-downs and budgets, which all workers share.
 *
 * @param outages when outages are reported to people
 * @param pollInterval how old a worker's copy may be where notifications are lost
 * @param allowance the allowance of tickets and attempts whose designs set none
 * @param budgets the budgets of all workers together
 */
public record SpendSettings(
    AccountSettings accounts,
    OutageSettings outages,
    Duration pollInterval,
    Allowance allowance,
    List<Budget> budgets) {
  private static final Set<String> DESIGN_KEYS = Set.of("design", "usd", "per");
  private static final Set<String> KEY_KEYS = Set.of("provider", "key", "usd", "per");

  public SpendSettings {
    budgets = List.copyOf(budgets);
  }

  /**
   * One budget of the configuration.
   *
   * @param scope day, design:NAME, or key:PROVIDER/LABEL with * for each of its keys
   * @param per day or total
   */
  public record Budget(String scope, String per, BigDecimal usd) {
    /** Returns the scopes as they are stored: a key by its id instead of its label. */
    public List<String> scopes(Collection<ChatProvider> providers) {
      if (!scope.startsWith("key:")) {
        return List.of(scope);
      }
      List<String> found =
          keyScopes(scope, providers.stream().flatMap(each -> each.accounts().stream()).toList());
      if (found.isEmpty()) {
        throw new ConfigException(
            SpendKeys.BUDGETS_PER_KEY.name()
                + ": there is no "
                + scope.substring(4)
                + "; the keys of a provider are key-1, key-2 and so on, * is each of them");
      }
      return found;
    }
  }

  /** Returns the scopes of all keys that a label or * names; none where nobody has such a key. */
  static List<String> keyScopes(String scope, List<Account> accounts) {
    List<String> found = new ArrayList<>();
    for (Account account : accounts) {
      String named = "key:" + account.provider() + "/";
      if (scope.equals(named + "*") || scope.equals(named + account.label())) {
        found.add(named + account.keyId());
      }
    }
    return found;
  }

  static SpendSettings of(Values values) {
    List<Budget> budgets = new ArrayList<>();
    values
        .get(SpendKeys.BUDGETS_PER_DAY)
        .ifPresent(usd -> budgets.add(new Budget("day", "day", usd)));
    for (Map<String, ?> each : values.get(SpendKeys.BUDGETS_PER_DESIGN)) {
      add(budgets, SpendKeys.BUDGETS_PER_DESIGN, each, DESIGN_KEYS);
    }
    for (Map<String, ?> each : values.get(SpendKeys.BUDGETS_PER_KEY)) {
      add(budgets, SpendKeys.BUDGETS_PER_KEY, each, KEY_KEYS);
    }
    return new SpendSettings(
        new AccountSettings(
            values.get(SpendKeys.COOLDOWN_BASE_DELAY),
            values.get(SpendKeys.COOLDOWN_MAX_DELAY),
            values.get(SpendKeys.COOLDOWN_MAX_HINT),
            values.get(SpendKeys.COOLDOWN_OUTAGE_AFTER),
            values.get(SpendKeys.COOLDOWN_SPREAD),
            values.get(SpendKeys.COOLDOWN_WAIT_IN_SESSION),
            values.get(SpendKeys.COOLDOWN_SCOPE).equals("model"),
            values.get(SpendKeys.BUDGETS_OUTPUT_TOKENS),
            values.get(SpendKeys.BUDGETS_UNPRICED).equals("refuse")),
        new OutageSettings(
            values.get(SpendKeys.COOLDOWN_NOTICE_AFTER), values.get(SpendKeys.COOLDOWN_HOLD_AFTER)),
        values.get(SpendKeys.COOLDOWN_POLL_INTERVAL),
        allowance(values),
        budgets);
  }

  private static Allowance allowance(Values values) {
    Duration time = values.get(SpendKeys.TICKET_TIME);
    return new Allowance(
        "ticket",
        values.get(SpendKeys.TICKET_COST).orElse(null),
        values.get(SpendKeys.TICKET_TOKENS),
        values.get(SpendKeys.TICKET_CALLS),
        time.isZero() ? null : time,
        values.get(SpendKeys.ATTEMPT_COST).orElse(null),
        values.get(SpendKeys.ATTEMPT_TOKENS),
        values.get(SpendKeys.BUDGETS_OUTPUT_TOKENS));
  }

  private static void add(
      List<Budget> budgets, Key<?> key, Map<String, ?> document, Set<String> allowed) {
    try {
      if (!allowed.containsAll(document.keySet())) {
        throw new IllegalArgumentException(
            "it may have the keys " + new java.util.TreeSet<>(allowed));
      }
      String per = document.containsKey("per") ? String.valueOf(document.get("per")) : "day";
      if (!per.equals("day") && !per.equals("total")) {
        throw new IllegalArgumentException("per must be day or total");
      }
      String scope =
          allowed.contains("design")
              ? "design:" + KeyType.textIn(document, "design")
              : "key:"
                  + KeyType.textIn(document, "provider")
                  + "/"
                  + KeyType.textIn(document, "key");
      if (budgets.stream().anyMatch(each -> each.scope.equals(scope) && each.per.equals(per))) {
        throw new IllegalArgumentException("there is another one for it; keep one");
      }
      budgets.add(new Budget(scope, per, KeyType.Money.amount("usd", document.get("usd"))));
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          key.name() + ": the budget " + document + " cannot be: " + e.getMessage(), e);
    }
  }
}
