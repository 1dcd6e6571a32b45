package dev.holdfast.limit;

import org.jspecify.annotations.Nullable;

/**
 * A limit to be set, over all workers. At least one of its first three numbers is given.
 *
 * @param scope {@code queue:NAME} or {@code design:NAME}
 * @param concurrent how many tickets may run at once; null for no such limit
 * @param perKey how many with the same concurrency key; null for no such limit
 * @param rate how many may start in a time; null for no such limit
 * @param burst how many of a rate may start at once after a pause; null for the number in a fifth
 *     of a second, at least one
 */
public record NewLimit(
    String scope,
    @Nullable Integer concurrent,
    @Nullable Integer perKey,
    @Nullable Rate rate,
    @Nullable Integer burst) {}
