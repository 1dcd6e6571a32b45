package dev.holdfast.queue.view;

import java.time.Instant;

/**
 * A session that waits before it tries again.
 *
 * @param attempt which retry comes, from 1
 * @param until when it comes, by the database's clock
 * @param error why it waits
 */
public record RetryWait(int attempt, int maxAttempts, Instant until, String error) {}
