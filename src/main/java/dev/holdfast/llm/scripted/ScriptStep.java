package dev.holdfast.llm.scripted;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One answer of a script.
 *
 * @param when a step with it is played whenever it is found in the last message; null for a step in
 *     the order of the script
 * @param delay before the answer
 * @param failure returned instead of the answer
 * @param failFirst how many tries of a conversation fail before the answer comes; {@link
 *     Integer#MAX_VALUE} for all
 */
record ScriptStep(
    @Nullable Pattern when,
    Duration delay,
    String text,
    String reasoning,
    List<ToolCall> calls,
    @Nullable StopReason stop,
    Usage usage,
    CallResult.@Nullable Failed failure,
    int failFirst) {}
