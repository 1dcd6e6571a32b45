package dev.holdfast.web.console;

import dev.holdfast.queue.spending.BudgetStatus;
import dev.holdfast.queue.spending.ProviderStatus;
import dev.holdfast.queue.view.ModelUse;
import dev.holdfast.web.console.view.ConfiguredProvider;
import dev.holdfast.web.console.view.SqlText;
import java.util.List;
import java.util.Optional;

/**
 * Providers of models, and what calls may cost.
 *
 * @param configured the providers of the process that serves the page
 * @param providers those that are not called now, wherever they are configured
 * @param use what models have answered in the last 7 days
 */
public record ProvidersPage(
    Page page,
    List<ConfiguredProvider> configured,
    List<ProviderStatus> providers,
    List<ModelUse> use,
    List<BudgetStatus> budgets) {
  public ProvidersPage {
    configured = List.copyOf(configured);
    use = List.copyOf(use);
    providers = List.copyOf(providers);
    budgets = List.copyOf(budgets);
  }

  /** Returns the statement that a person runs when the account works again. */
  public String mending(ProviderStatus provider) {
    return SqlText.mend(provider.provider(), page.visitor().actor(), provider.keyId());
  }

  /**
   * Returns the state of a configured provider's key. Where the whole provider is closed, that is
   * its state.
   */
  public Optional<ProviderStatus> trouble(ConfiguredProvider provider, String key) {
    return providers.stream()
        .filter(each -> each.provider().equals(provider.name()))
        .filter(each -> each.keyId().isEmpty() || each.keyId().equals(key))
        .filter(each -> each.model().isEmpty())
        .findFirst();
  }

  public List<ModelUse> use(ConfiguredProvider provider) {
    return use.stream().filter(each -> each.provider().equals(provider.name())).toList();
  }

  /** Returns its state in words. */
  public static String state(ProviderStatus provider) {
    return switch (provider.state()) {
      case "unavailable" -> "out of order";
      case "suspected" -> "signs of an outage";
      case "cooling" -> "cools down";
      default -> "about to be tried";
    };
  }
}
