package dev.holdfast.repair;

import dev.holdfast.llm.CallRetryOptions;
import dev.holdfast.llm.ProviderEventListener;
import dev.holdfast.retry.Sleeper;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The ports for calls of models.
 *
 * @param random from -1 to 1
 * @param retry of a call, where its target says nothing else
 * @param listener hears of calls, besides the run's events
 */
public record ModelPorts(
    Sleeper sleeper,
    LongSupplier nanoTime,
    DoubleSupplier random,
    CallRetryOptions retry,
    ProviderEventListener listener) {}
