package dev.holdfast.session.report;

import dev.holdfast.llm.Usage;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The use of a session, over all its executions.
 *
 * @param answers answers that came, discarded ones and summaries included
 * @param costUsd of those whose model has a price
 */
public record Spent(int answers, Usage usage, BigDecimal costUsd) {
  public static final Spent NOTHING = new Spent(0, Usage.NONE, BigDecimal.ZERO);

  public Spent plus(Usage more, @Nullable BigDecimal cost) {
    return new Spent(answers + 1, usage.plus(more), cost == null ? costUsd : costUsd.add(cost));
  }
}
