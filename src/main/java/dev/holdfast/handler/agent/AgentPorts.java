package dev.holdfast.handler.agent;

import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ProviderEventListener;
import dev.holdfast.llm.account.CallGuard;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.session.AllowanceStore;
import dev.holdfast.session.approval.ApprovalStore;
import dev.holdfast.session.event.EventSink;
import dev.holdfast.session.event.SessionListener;
import dev.holdfast.session.journal.AttemptHistory;
import dev.holdfast.session.journal.JournalStore;
import dev.holdfast.session.retry.RetryAborts;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The ports of the agent handler. All of it is thread-safe and stays the caller's to close.
 *
 * @param providers by their names in the configuration
 * @param journals where sessions are kept
 * @param events for the tickets' live streams
 * @param aborts orders to end a retry that waits
 * @param guard what stands between an attempt and its providers
 * @param allowances of single tickets
 * @param approvals where people are asked for tool calls
 * @param attempts what became of earlier ones
 * @param listeners hear of every session
 * @param calls hears of every request to a provider: of turns, and of calls beside them, such as
 *     summaries
 * @param random numbers from 0 to 1
 */
public record AgentPorts(
    Map<String, ChatProvider> providers,
    JournalStore journals,
    EventSink events,
    RetryAborts aborts,
    CallGuard guard,
    AllowanceStore allowances,
    ApprovalStore approvals,
    AttemptHistory attempts,
    List<SessionListener> listeners,
    ProviderEventListener calls,
    Sleeper sleeper,
    LongSupplier nanoTime,
    DoubleSupplier random) {
  public AgentPorts {
    providers = Map.copyOf(providers);
    listeners = List.copyOf(listeners);
  }

  /** Sessions that die with the process, and that nobody watches. */
  public static AgentPorts of(
      Map<String, ChatProvider> providers,
      Sleeper sleeper,
      LongSupplier nanoTime,
      DoubleSupplier random) {
    return new AgentPorts(
        providers,
        JournalStore.IN_MEMORY,
        EventSink.NONE,
        RetryAborts.NONE,
        CallGuard.NONE,
        AllowanceStore.NONE,
        ApprovalStore.NOBODY,
        AttemptHistory.NONE,
        List.of(),
        ProviderEventListener.NONE,
        sleeper,
        nanoTime,
        random);
  }

  public AgentPorts withSessions(JournalStore store, EventSink sink, RetryAborts orders) {
    return new AgentPorts(
        providers,
        store,
        sink,
        orders,
        guard,
        allowances,
        approvals,
        attempts,
        listeners,
        calls,
        sleeper,
        nanoTime,
        random);
  }

  public AgentPorts withListeners(List<SessionListener> others, ProviderEventListener ofCalls) {
    return new AgentPorts(
        providers,
        journals,
        events,
        aborts,
        guard,
        allowances,
        approvals,
        attempts,
        others,
        ofCalls,
        sleeper,
        nanoTime,
        random);
  }

  public AgentPorts withHistory(ApprovalStore store, AttemptHistory book) {
    return new AgentPorts(
        providers,
        journals,
        events,
        aborts,
        guard,
        allowances,
        store,
        book,
        listeners,
        calls,
        sleeper,
        nanoTime,
        random);
  }

  public AgentPorts withGuard(CallGuard other, AllowanceStore ofTickets) {
    return new AgentPorts(
        providers, journals, events, aborts, other, ofTickets, approvals, attempts, listeners,
        calls, sleeper, nanoTime, random);
  }
}
