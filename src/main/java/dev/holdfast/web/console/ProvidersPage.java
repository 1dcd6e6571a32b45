package dev.holdfast.web.console;

import dev.holdfast.queue.BudgetStatus;
import dev.holdfast.queue.ProviderStatus;
import dev.holdfast.web.console.view.SqlText;
import java.util.List;

/** Providers that are not called just now, and what calls of models may cost. */
public record ProvidersPage(Page page, List<ProviderStatus> providers, List<BudgetStatus> budgets) {
  public ProvidersPage {
    providers = List.copyOf(providers);
    budgets = List.copyOf(budgets);
  }

  /** The statement that a person runs when the account is in order again. */
  public String mending(ProviderStatus provider) {
    return SqlText.mend(provider.provider(), page.visitor().actor(), provider.keyId());
  }

  /** Its state in words. */
  public String state(ProviderStatus provider) {
    return switch (provider.state()) {
      case "unavailable" -> "out of order";
      case "suspected" -> "signs of an outage";
      case "cooling" -> "cools down";
      default -> "about to be tried";
    };
  }
}
