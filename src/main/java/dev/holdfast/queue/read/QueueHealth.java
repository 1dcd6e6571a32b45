package dev.holdfast.queue.read;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code holdfast.queue_health}.
 *
 * @param waitingForLimit those of the ready ones that no limit lets start now
 */
public record QueueHealth(
    String queue,
    boolean paused,
    @Nullable String pausedBy,
    long ready,
    @Nullable Instant oldestReadyAt,
    long retrying,
    long scheduled,
    @Nullable Instant nextDueAt,
    long inProgress,
    long onHold,
    long waitingForProvider,
    long waitingForLimit) {}
