package dev.holdfast.limit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code holdfast.limits}: a limit, and what is under it now.
 *
 * @param scope {@code queue:NAME} or {@code design:NAME}
 * @param perMs the time of the rate
 * @param running how many run that it counts; a rate alone counts none
 * @param waiting how many stand in line
 * @param mayStartNow how many the rate lets start now; null without a rate
 */
public record Limit(
    String scope,
    @Nullable Integer concurrent,
    @Nullable Integer perKey,
    @Nullable Integer rate,
    @Nullable Long perMs,
    @Nullable Integer burst,
    long running,
    long waiting,
    @Nullable Long mayStartNow,
    Instant setAt,
    String setBy) {}
