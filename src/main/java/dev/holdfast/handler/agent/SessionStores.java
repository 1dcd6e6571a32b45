package dev.holdfast.handler.agent;

import dev.holdfast.session.AllowanceStore;
import dev.holdfast.session.approval.ApprovalStore;
import dev.holdfast.session.event.EventSink;
import dev.holdfast.session.journal.AttemptHistory;
import dev.holdfast.session.journal.JournalStore;
import dev.holdfast.session.retry.RetryAborts;

/**
 * The stores of the agent handler for sessions of tickets and earlier attempts. All of them are
 * thread-safe.
 *
 * @param journals where sessions are kept
 * @param events for the tickets' live streams
 * @param aborts orders to end a retry that waits
 * @param allowances of single tickets
 * @param approvals where people are asked for tool calls
 * @param attempts earlier ones that failed
 */
public record SessionStores(
    JournalStore journals,
    EventSink events,
    RetryAborts aborts,
    AllowanceStore allowances,
    ApprovalStore approvals,
    AttemptHistory attempts) {}
