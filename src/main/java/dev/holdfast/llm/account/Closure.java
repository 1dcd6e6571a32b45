package dev.holdfast.llm.account;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code provider_cooldowns}, its times counted from the moment it was read.
 *
 * @param reason such as rate_limit
 * @param detail the provider's own words
 * @param needsPerson whether it lasts until a person fixes it
 * @param left until it may be tried again, negative once it may; null where there are only signs of
 *     an outage so far
 * @param length of the cool-down in all
 * @param probeLeft for how long somebody's try is waited for; null where nobody tries
 * @param outage for how long it has given no answer; null where it is open, a person has to mend
 *     it, or it is a key that no ticket waits for
 */
public record Closure(
    Scope scope,
    String reason,
    String detail,
    boolean needsPerson,
    @Nullable Duration left,
    Duration length,
    @Nullable Duration probeLeft,
    @Nullable Duration outage) {}
