package dev.holdfast.session.approval;

import dev.holdfast.llm.ToolCall;

/**
 * A call that waits for a person.
 *
 * @param number names it, for people
 * @param effect what it would do; may be empty
 */
public record PendingCall(long number, ToolCall call, String effect) {}
