package dev.holdfast.queue.read;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code holdfast.workers}.
 *
 * @param queues null means all
 * @param state running, draining, stopped, or lost where it was not heard of for a minute
 */
public record WorkerRow(
    String id,
    String host,
    long pid,
    String version,
    @Nullable List<String> queues,
    List<String> kinds,
    int concurrency,
    String state,
    Instant startedAt,
    Instant heartbeatAt) {}
