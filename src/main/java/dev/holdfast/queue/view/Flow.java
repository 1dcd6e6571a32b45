package dev.holdfast.queue.view;

import java.time.Instant;

/**
 * A queue's finished attempts in one minute.
 *
 * @param failed crashes included
 */
public record Flow(String queue, Instant minute, long succeeded, long failed) {}
