package dev.holdfast.queue.view;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The answers of a provider's model in the last 7 days.
 *
 * @param costUsd null where none of its answers had a price
 */
public record ModelUse(
    String provider, String model, long answers, long tokens, @Nullable BigDecimal costUsd) {}
