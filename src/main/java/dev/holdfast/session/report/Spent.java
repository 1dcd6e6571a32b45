package dev.holdfast.session.report;

import dev.holdfast.llm.Usage;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The use of a session, over all its executions and those of the sessions that were given up for
 * it.
 *
 * @param answers answers that came, discarded ones and summaries included
 * @param usage of these, and of calls that were cut at its worst
 * @param costUsd of that usage, where the model has a price
 */
public record Spent(int answers, Usage usage, BigDecimal costUsd) {
  public static final Spent NOTHING = new Spent(0, Usage.NONE, BigDecimal.ZERO);

  public Spent plus(Usage more, @Nullable BigDecimal cost) {
    return new Spent(answers + 1, usage.plus(more), sum(cost));
  }

  /** Adds a call that may have been paid for and brought no answer. */
  public Spent plusUnanswered(Usage more, @Nullable BigDecimal cost) {
    return new Spent(answers, usage.plus(more), sum(cost));
  }

  private BigDecimal sum(@Nullable BigDecimal cost) {
    return cost == null ? costUsd : costUsd.add(cost);
  }
}
