package dev.holdfast.session.journal;

import dev.holdfast.llm.Usage;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The use of all sessions of a ticket, those that were given up included.
 *
 * @param rows of the journal
 * @param answers discarded ones and summaries included
 * @param costUsd of those whose model has a price; null where none has
 */
public record JournalTotal(long rows, long answers, Usage usage, @Nullable BigDecimal costUsd) {}
