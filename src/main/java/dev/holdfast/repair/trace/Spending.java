package dev.holdfast.repair.trace;

import dev.holdfast.session.journal.JournalEntry;
import java.math.BigDecimal;
import tools.jackson.databind.JsonNode;

/**
 * The use of a run: calls, tokens, money.
 *
 * @param calls of models that were sent, their retries included, without those that closed their
 *     provider
 * @param costUsd by the price tables
 */
public record Spending(int calls, BigDecimal costUsd) {
  static final Spending NOTHING = new Spending(0, BigDecimal.ZERO);

  Spending plus(JournalEntry.StepFinished step) {
    int more = 0;
    for (JsonNode event : step.events()) {
      TraceEvent each = TraceEvent.of(event, "");
      if (each.isSentRequest()) {
        more += 1 + each.number("retries") - each.number("uncounted");
      }
    }
    return new Spending(
        calls + more, step.costUsd() == null ? costUsd : costUsd.add(step.costUsd()));
  }
}
