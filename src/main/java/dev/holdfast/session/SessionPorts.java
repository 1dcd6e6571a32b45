package dev.holdfast.session;

import dev.holdfast.retry.Sleeper;
import dev.holdfast.session.approval.Approvals;
import dev.holdfast.session.context.Summariser;
import dev.holdfast.session.event.SessionListener;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.tool.ToolBox;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The ports of a session.
 *
 * @param toolBox stays the caller's to close
 * @param approvals of calls that a person has to allow
 */
public record SessionPorts(
    ToolBox toolBox,
    Journal journal,
    List<SessionListener> listeners,
    Summariser summariser,
    Approvals approvals,
    Sleeper sleeper,
    LongSupplier nanoTime) {
  public SessionPorts {
    listeners = List.copyOf(listeners);
  }

  /** Without summaries. */
  public static SessionPorts of(
      ToolBox toolBox, Journal journal, Sleeper sleeper, LongSupplier nanoTime) {
    return new SessionPorts(
        toolBox, journal, List.of(), Summariser.NONE, Approvals.NONE, sleeper, nanoTime);
  }

  public SessionPorts withListeners(SessionListener... others) {
    return new SessionPorts(
        toolBox, journal, List.of(others), summariser, approvals, sleeper, nanoTime);
  }

  public SessionPorts withSummariser(Summariser other) {
    return new SessionPorts(toolBox, journal, listeners, other, approvals, sleeper, nanoTime);
  }

  public SessionPorts withApprovals(Approvals other) {
    return new SessionPorts(toolBox, journal, listeners, summariser, other, sleeper, nanoTime);
  }
}
