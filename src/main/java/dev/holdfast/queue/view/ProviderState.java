package dev.holdfast.queue.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A provider, or one of its accounts or models, that is not called just now, or has shown signs of
 * an outage.
 *
 * @param keyId the start of the key's digest; "" for all keys
 * @param model "" for all models
 * @param until nobody calls before; null where there is no such time
 * @param needsPerson whether it stays so until a person mends it
 * @param detail the provider's own words
 * @param waiting how many tickets wait for it
 */
public record ProviderState(
    String provider,
    String keyId,
    String model,
    @Nullable Instant until,
    boolean needsPerson,
    String reason,
    String detail,
    @Nullable Integer httpStatus,
    Instant since,
    String reportedBy,
    long waiting) {}
