package dev.holdfast.web.console;

import dev.holdfast.queue.view.BudgetState;
import dev.holdfast.queue.view.ProviderState;
import dev.holdfast.web.console.view.SqlText;
import java.time.Instant;
import java.util.List;

/** Providers that are not called just now, and what calls of models may cost. */
public record ProvidersPage(Page page, List<ProviderState> providers, List<BudgetState> budgets) {
  public ProvidersPage {
    providers = List.copyOf(providers);
    budgets = List.copyOf(budgets);
  }

  /** What a person runs when the account is in order again. */
  public String mending(ProviderState provider) {
    return SqlText.mend(provider.provider(), page.visitor().actor(), provider.keyId());
  }

  /** Its state in words. */
  public String state(ProviderState provider) {
    if (provider.needsPerson()) {
      return "out of order";
    }
    Instant until = provider.until();
    return until == null
        ? "signs of an outage"
        : until.isAfter(page.now()) ? "cools down" : "about to be tried";
  }
}
