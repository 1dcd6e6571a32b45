package dev.holdfast.handler.agent;

import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ProviderEventListener;
import dev.holdfast.llm.account.CallGuard;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.session.event.SessionListener;
import dev.holdfast.tool.sandbox.Sandboxes;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The ports of the agent handler. All of it is thread-safe and stays the caller's to close.
 *
 * @param providers by their names in the configuration
 * @param environment the worker's own, of which programs get the harmless part
 * @param sandboxes of tools' programs
 * @param guard what stands between an attempt and its providers
 * @param listeners hear of every session
 * @param calls hears of every request to a provider: of turns, and of calls beside them, such as
 *     summaries
 * @param random numbers from 0 to 1
 */
public record AgentPorts(
    Map<String, ChatProvider> providers,
    SessionStores sessions,
    Map<String, String> environment,
    Sandboxes sandboxes,
    CallGuard guard,
    List<SessionListener> listeners,
    ProviderEventListener calls,
    Sleeper sleeper,
    LongSupplier nanoTime,
    DoubleSupplier random) {
  public AgentPorts {
    providers = Map.copyOf(providers);
    environment = Map.copyOf(environment);
    listeners = List.copyOf(listeners);
  }
}
