package dev.holdfast.queue.view;

import java.time.Instant;

/**
 * A queue's finished attempts in one span of time.
 *
 * @param startsAt when the span begins
 * @param failed crashes included
 */
public record Flow(String queue, Instant startsAt, long succeeded, long failed) {}
