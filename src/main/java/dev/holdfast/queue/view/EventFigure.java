package dev.holdfast.queue.view;

import java.time.Instant;

/**
 * The count of an event in one span, in all queues.
 *
 * @param event an outcome of an attempt, or held or released
 * @param category the category of a failed attempt; otherwise ""
 */
public record EventFigure(Instant startsAt, String event, String category, long n) {}
