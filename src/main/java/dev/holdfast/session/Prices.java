package dev.holdfast.session;

import dev.holdfast.llm.Target;
import dev.holdfast.llm.Usage;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** What calls cost. */
@FunctionalInterface
public interface Prices {
  /** No model has a price. */
  Prices NONE = (target, usage) -> null;

  /** In US dollars; null where the model has no price. */
  @Nullable BigDecimal of(Target target, Usage usage);
}
