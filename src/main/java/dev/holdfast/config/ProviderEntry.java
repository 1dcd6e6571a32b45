package dev.holdfast.config;

import dev.holdfast.llm.Price;
import dev.holdfast.llm.Prices;
import dev.holdfast.llm.ProviderSettings;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A provider of models.
 *
 * @param settings the settings with its name, its keys and its prices; shows no key
 * @param script the script of a scripted provider; empty for every other
 */
public record ProviderEntry(ProviderType type, ProviderSettings settings, Optional<Path> script) {
  private static final Set<String> PRICE_KEYS =
      new TreeSet<>(Set.of("model", "input", "output", "cache-read", "cache-write"));

  static ProviderEntry of(String name, Values values) {
    ProviderKeys keys = ProviderKeys.of(name);
    ProviderType type = values.get(keys.type());
    String baseUrl = values.get(keys.baseUrl());
    List<String> secrets = new ArrayList<>(values.get(keys.apiKeys()));
    String first = values.get(keys.apiKey());
    if (!first.isEmpty()) {
      secrets.remove(first);
      secrets.addFirst(first);
    }
    String script = values.get(keys.script());
    require(keys, type, baseUrl, secrets, script);
    return new ProviderEntry(
        type,
        new ProviderSettings(
            name,
            baseUrl.isEmpty() ? null : baseUrl,
            secrets,
            prices(keys.prices(), values.get(keys.prices()))),
        script.isEmpty() ? Optional.empty() : Optional.of(Path.of(script)));
  }

  private static void require(
      ProviderKeys keys, ProviderType type, String baseUrl, List<String> secrets, String script) {
    boolean scripted = type == ProviderType.SCRIPTED;
    if (scripted == script.isEmpty()) {
      throw new ConfigException(
          keys.script().name()
              + (scripted
                  ? ": is missing; a provider of type scripted needs the file that it plays"
                  : ": is only for a provider of type scripted; set "
                      + keys.type().name()
                      + ": scripted, or remove it"));
    }
    if (!scripted && baseUrl.isEmpty() && secrets.isEmpty()) {
      throw new ConfigException(
          "%s: is missing; set it (%s), or %s where a server that needs no key is"
              .formatted(
                  keys.apiKey().name(), keys.apiKey().environmentName(), keys.baseUrl().name()));
    }
  }

  private static Prices prices(Key<?> key, List<Map<String, ?>> documents) {
    Map<String, Price> byModel = new HashMap<>();
    for (Map<String, ?> each : documents) {
      try {
        if (!PRICE_KEYS.containsAll(each.keySet())) {
          throw new IllegalArgumentException("it may have the keys " + PRICE_KEYS);
        }
        BigDecimal input = amount(each, "input", null);
        Price price =
            new Price(
                input,
                amount(each, "cache-read", input),
                amount(each, "cache-write", input),
                amount(each, "output", null));
        if (byModel.put(KeyType.textIn(each, "model"), price) != null) {
          throw new IllegalArgumentException("the model has another one before it; keep one");
        }
      } catch (IllegalArgumentException e) {
        throw new ConfigException(
            key.name() + ": the price " + each + " cannot be: " + e.getMessage(), e);
      }
    }
    return new Prices(byModel);
  }

  private static BigDecimal amount(
      Map<String, ?> price, String part, @Nullable BigDecimal otherwise) {
    Object given = price.get(part);
    if (given == null && otherwise != null) {
      return otherwise;
    }
    return KeyType.Money.amount(part, given);
  }
}
