package dev.holdfast.queue.view;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * What a provider's model has answered in the last 7 days.
 *
 * @param costUsd null where none of its answers had a price
 */
public record ModelUse(
    String provider, String model, long answers, long tokens, @Nullable BigDecimal costUsd) {}
