package dev.holdfast.tool;

import org.jspecify.annotations.Nullable;

/**
 * @param failure what a failed call ended with; null where it did not fail
 */
record ToolOutcome(ToolReply reply, @Nullable Exception failure) {}
