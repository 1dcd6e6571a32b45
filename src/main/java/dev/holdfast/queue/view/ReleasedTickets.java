package dev.holdfast.queue.view;

/**
 * The state of the tickets of a release since then.
 *
 * @param total how many there are
 * @param waiting how many no worker has claimed, so that their release may be undone
 * @param heldAgain how many are on hold again
 */
public record ReleasedTickets(long total, long waiting, long heldAgain) {}
