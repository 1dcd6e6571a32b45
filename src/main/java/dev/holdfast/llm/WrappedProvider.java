package dev.holdfast.llm;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/** Does something before or after the calls of another provider, which outlives it. */
public interface WrappedProvider extends ChatProvider {
  /** The provider that makes the calls. */
  ChatProvider provider();

  @Override
  default String name() {
    return provider().name();
  }

  @Override
  default List<Account> accounts() {
    return provider().accounts();
  }

  @Override
  default Optional<Standstill> standstill(String model) {
    return provider().standstill(model);
  }

  @Override
  default Optional<BigDecimal> cost(String model, Usage usage) {
    return provider().cost(model, usage);
  }

  @Override
  default void close() {}
}
