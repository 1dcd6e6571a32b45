package dev.holdfast.session.context;

import dev.holdfast.llm.Usage;
import java.math.BigDecimal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks a model to sum up older turns. What implements it retries by itself (E-1), takes its calls
 * off the same budget, and keeps to the deadline.
 */
@FunctionalInterface
public interface Summariser {
  /** There is no model for it; compaction only elides. */
  Summariser NONE = transcript -> Optional.empty();

  /**
   * @param costUsd null where the model has no price
   */
  record Summary(String text, Usage usage, @Nullable BigDecimal costUsd) {}

  /**
   * @param transcript the older turns as text, bounded to half the window
   * @return empty where it failed
   */
  Optional<Summary> summarise(String transcript) throws InterruptedException;
}
