package dev.holdfast.queue.view;

import java.math.BigDecimal;

/**
 * A budget for calls of models.
 *
 * @param scope {@code day}, {@code design:NAME} or {@code key:PROVIDER/KEY}
 * @param per {@code day} or {@code total}
 * @param reserved by calls on their way
 */
public record BudgetState(
    String scope, String per, BigDecimal limit, BigDecimal spent, BigDecimal reserved) {}
