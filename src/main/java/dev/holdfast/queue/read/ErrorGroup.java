package dev.holdfast.queue.read;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A row of {@code holdfast.error_groups}: held tickets with one error. */
public record ErrorGroup(
    @Nullable String errorFingerprint,
    @Nullable String errorCategory,
    long tickets,
    Instant oldest,
    Instant newest,
    @Nullable String lastError,
    List<Long> sampleIds,
    @Nullable String errorTitle) {}
