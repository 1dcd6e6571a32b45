package dev.holdfast.queue.read;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code holdfast.queue_health}.
 *
 * @param waitingForLimit how many of the ready ones a limit keeps from starting now
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
