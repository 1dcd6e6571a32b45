package dev.holdfast.session;

import dev.holdfast.retry.Sleeper;
import dev.holdfast.tool.ToolBox;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * What a session needs of the world around it.
 *
 * @param toolBox stays the caller's to close
 * @param directives that providers give; {@link RetryDirectives#NONE} where none do
 * @param approvals of calls that a person has to allow
 */
public record SessionPorts(
    ToolBox toolBox,
    Journal journal,
    List<SessionListener> listeners,
    Summariser summariser,
    RetryDirectives directives,
    Approvals approvals,
    Sleeper sleeper,
    LongSupplier nanoTime) {
  public SessionPorts {
    listeners = List.copyOf(listeners);
  }

  /** Without summaries and directives. */
  public static SessionPorts of(
      ToolBox toolBox, Journal journal, Sleeper sleeper, LongSupplier nanoTime) {
    return new SessionPorts(
        toolBox,
        journal,
        List.of(),
        Summariser.NONE,
        RetryDirectives.NONE,
        Approvals.NONE,
        sleeper,
        nanoTime);
  }

  public SessionPorts withListeners(SessionListener... others) {
    return new SessionPorts(
        toolBox, journal, List.of(others), summariser, directives, approvals, sleeper, nanoTime);
  }

  public SessionPorts withSummariser(Summariser other) {
    return new SessionPorts(
        toolBox, journal, listeners, other, directives, approvals, sleeper, nanoTime);
  }

  public SessionPorts withDirectives(RetryDirectives other) {
    return new SessionPorts(
        toolBox, journal, listeners, summariser, other, approvals, sleeper, nanoTime);
  }

  public SessionPorts withApprovals(Approvals other) {
    return new SessionPorts(
        toolBox, journal, listeners, summariser, directives, other, sleeper, nanoTime);
  }
}
