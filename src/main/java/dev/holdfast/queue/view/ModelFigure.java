package dev.holdfast.queue.view;

import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a model for the tickets of a design in one span.
 *
 * @param design "" for tickets without one
 * @param provider "", like the model, where several were asked in one step
 * @param tokensIn including tokens read from caches and written to them
 * @param costUsd in US dollars; null where no answer's model has a price
 */
public record ModelFigure(
    Instant startsAt,
    String design,
    String provider,
    String model,
    long answers,
    long tokensIn,
    long tokensOut,
    @Nullable BigDecimal costUsd) {}
