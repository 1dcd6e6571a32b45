package dev.holdfast.session.context;

import dev.holdfast.llm.Target;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.retry.Route;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks a model to sum up older turns. What implements it retries by itself (E-1), takes its calls
 * off the same budget, and keeps to the deadline.
 */
@FunctionalInterface
public interface Summariser {
  /** There is no model for it; compaction only elides. */
  Summariser NONE = (transcript, routes) -> Optional.empty();

  /**
   * @param target which model wrote it
   * @param costUsd null where the model has no price
   */
  record Summary(Target target, String text, Usage usage, @Nullable BigDecimal costUsd) {}

  /**
   * @param transcript the older turns as text, bounded to half the window
   * @param routes the session's targets; a call of theirs is refused or made shorter where the
   *     session's limits want it, and counts where it fails or says nothing
   * @return empty where it failed
   */
  Optional<Summary> summarise(String transcript, List<Route> routes) throws InterruptedException;
}
