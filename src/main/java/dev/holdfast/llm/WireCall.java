package dev.holdfast.llm;

import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request to a provider, after its end.
 *
 * @param key which of the provider's keys it used, such as "key-1"; never the key
 * @param failure null for an answer
 * @param costUsd by the price table; null where the model has no price there
 * @param maybeBilled false only where the provider surely did no paid work
 */
public record WireCall(
    Target target,
    String key,
    @Nullable FailureKind failure,
    @Nullable Integer httpStatus,
    Usage usage,
    @Nullable BigDecimal costUsd,
    Duration latency,
    boolean maybeBilled,
    @Nullable String requestId) {}
