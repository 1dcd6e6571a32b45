package dev.holdfast.cli.inspect;

import dev.holdfast.llm.Usage;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.JournalJson;
import dev.holdfast.session.journal.JournalRow;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * The use of all sessions of a ticket, those that were given up included.
 *
 * @param answers discarded ones and summaries included
 * @param costUsd of those whose model has a price; null where none has
 */
record TranscriptTotal(int answers, Usage usage, @Nullable BigDecimal costUsd) {
  private static final TranscriptTotal NOTHING = new TranscriptTotal(0, Usage.NONE, null);

  /** Rows that cannot be read count as nothing. */
  static TranscriptTotal of(List<JournalRow> rows) {
    TranscriptTotal total = NOTHING;
    for (JournalRow row : rows) {
      if (!row.kind().equals(JournalRow.STARTED_OVER)) {
        total = total.plus(row);
      }
    }
    return total;
  }

  private TranscriptTotal plus(JournalRow row) {
    try {
      return switch (JournalJson.read(row.entry())) {
        case JournalEntry.Answered answer -> plus(answer.usage(), answer.costUsd());
        case JournalEntry.Discarded answer ->
            plus(answer.unanswered() ? 0 : 1, answer.usage(), answer.costUsd());
        case JournalEntry.Compacted made when made.summarised() ->
            plus(made.usage(), made.costUsd());
        case JournalEntry.StepFinished step when !step.usage().equals(Usage.NONE) ->
            plus(step.usage(), step.costUsd());
        default -> this;
      };
    } catch (JacksonException | NullPointerException | IllegalArgumentException e) {
      return this;
    }
  }

  private TranscriptTotal plus(Usage more, @Nullable BigDecimal cost) {
    return plus(1, more, cost);
  }

  private TranscriptTotal plus(int came, Usage more, @Nullable BigDecimal cost) {
    BigDecimal sum = cost == null ? costUsd : costUsd == null ? cost : costUsd.add(cost);
    return new TranscriptTotal(answers + came, usage.plus(more), sum);
  }
}
