package dev.holdfast.llm;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;

/**
 * The price table of one provider.
 *
 * @param byModel keys are model names, or the start of one with a {@code *} after it; the exact
 *     name wins, then the longest start
 */
public record Prices(Map<String, Price> byModel) {
  public static final Prices NONE = new Prices(Map.of());

  public Prices {
    byModel = Map.copyOf(byModel);
  }

  /** Returns the price of a model; empty where it has none. */
  public Optional<Price> of(String model) {
    Price exact = byModel.get(model);
    if (exact != null) {
      return Optional.of(exact);
    }
    for (int length = model.length(); length >= 0; length--) {
      Price price = byModel.get(model.substring(0, length) + "*");
      if (price != null) {
        return Optional.of(price);
      }
    }
    return Optional.empty();
  }

  /** Returns the cost in USD; empty where the model has no price. */
  public Optional<BigDecimal> cost(String model, Usage usage) {
    return of(model).map(price -> price.cost(usage));
  }
}
