package dev.holdfast.session.report;

/**
 * The layer that has already retried an error as often as it may.
 *
 * @param layer "turn" or "session"
 * @param tries model calls of that layer's last round, or rounds of the session
 */
public record Exhausted(String layer, int tries) {}
