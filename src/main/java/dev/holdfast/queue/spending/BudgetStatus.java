package dev.holdfast.queue.spending;

import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code holdfast.budget_status}.
 *
 * @param scope day, design:NAME or key:PROVIDER/KEY_ID
 * @param per day or total
 * @param reservedUsd by calls on their way
 * @param configuredUsd null where only a person has set it
 * @param held tickets that are on hold because of it
 */
public record BudgetStatus(
    String scope,
    String per,
    BigDecimal limitUsd,
    BigDecimal spentUsd,
    BigDecimal reservedUsd,
    @Nullable BigDecimal configuredUsd,
    String changedBy,
    Instant changedAt,
    long held) {}
