package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import java.util.List;

/** The budgets that a person means by a scope. */
final class BudgetScopes {
  private BudgetScopes() {}

  /**
   * Returns the scopes, at least one. A budget that is there needs no configuration: it may be that
   * of a key that no longer exists.
   *
   * @throws UsageException for a key that no provider has
   */
  static List<String> of(HoldfastCommand root, Backend backend, String scope) {
    if (backend.spending().budgets().stream().anyMatch(each -> each.scope().equals(scope))) {
      return List.of(scope);
    }
    List<String> scopes = root.settings().agents().budgetScopes(scope);
    if (scopes.isEmpty()) {
      throw new UsageException(
          "there is no "
              + PlainText.cut(PlainText.oneLine(scope), 100)
              + " in this configuration; the keys of a provider are key:PROVIDER/key-1, key-2 and"
              + " so on, key:PROVIDER/* is each of them");
    }
    return scopes;
  }
}
