package dev.holdfast.session.retry;

import dev.holdfast.llm.CallRetryOptions;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.Target;

/**
 * A target and who takes its calls.
 *
 * @param retry how its calls are retried outside of turns, where that differs from the worker's way
 */
public record Route(Target target, ChatProvider provider, CallRetryOptions.Overrides retry) {
  public Route(Target target, ChatProvider provider) {
    this(target, provider, CallRetryOptions.Overrides.NONE);
  }
}
