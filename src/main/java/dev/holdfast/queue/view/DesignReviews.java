package dev.holdfast.queue.view;

/**
 * Results of one design that wait for a person.
 *
 * @param design its name; "" for tickets without one
 */
public record DesignReviews(String design, long tickets) {}
