package dev.holdfast.queue;

import org.jspecify.annotations.Nullable;

/**
 * A person's decision on a tool call.
 *
 * @param approve whether the call may run
 * @param call the id of the call; null where only one call of the ticket waits
 * @param arguments a JSON object that replaces the model's arguments; null to leave them
 * @param words what the model is told; may be null
 * @param remember whether further calls of the same shape in the same ticket are approved with it
 */
public record CallDecision(
    boolean approve,
    @Nullable Long call,
    @Nullable String arguments,
    @Nullable String words,
    boolean remember) {}
