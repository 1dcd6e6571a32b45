package dev.holdfast.queue.view;

import java.time.Instant;

/**
 * The number of a worker's slots that were taken in one minute, on average.
 *
 * @param slots the slots of attempts that have finished; running ones are not counted
 */
public record BusySlots(String workerId, Instant startsAt, double slots) {}
