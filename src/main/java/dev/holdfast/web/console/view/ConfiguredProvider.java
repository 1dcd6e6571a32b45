package dev.holdfast.web.console.view;

import dev.holdfast.llm.Account;
import dev.holdfast.llm.Price;
import dev.holdfast.llm.ProviderKey;
import dev.holdfast.llm.ProviderSettings;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A provider of models, as it is configured in the process that serves the pages.
 *
 * @param type the protocol that it speaks
 * @param address empty for the vendor's own
 * @param keys what distinguishes its keys and shows nothing about them, as in {@code
 *     provider_status}
 * @param prices the prices by model, in USD for a million tokens
 */
public record ConfiguredProvider(
    String name, String type, String address, List<String> keys, Map<String, Price> prices) {
  public ConfiguredProvider {
    keys = List.copyOf(keys);
    prices = new TreeMap<>(prices);
  }

  public static ConfiguredProvider of(String type, ProviderSettings settings) {
    return new ConfiguredProvider(
        settings.name(),
        type,
        settings.baseUrl() == null ? "" : settings.baseUrl(),
        settings.keys().isEmpty()
            ? List.of(Account.NO_KEY)
            : ProviderKey.numbered(settings.keys()).stream().map(ProviderKey::id).toList(),
        settings.prices().byModel());
  }

  /** Returns the price of a model in words. */
  public static String words(Price price) {
    return "$" + price.input().toPlainString() + " in, $" + price.output().toPlainString() + " out";
  }
}
