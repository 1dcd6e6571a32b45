package dev.holdfast.session;

import dev.holdfast.retry.Sleeper;
import dev.holdfast.session.approval.Approvals;
import dev.holdfast.session.context.Summariser;
import dev.holdfast.session.event.SessionListener;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.tool.ToolBox;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The ports of a session.
 *
 * @param toolBox stays the caller's to close
 * @param approvals of calls that a person has to allow
 * @param ownLimit what the ticket itself may cost in USD; asked where a call does not fit any more,
 *     for a person may have raised it
 */
public record SessionPorts(
    ToolBox toolBox,
    Journal journal,
    List<SessionListener> listeners,
    Summariser summariser,
    Approvals approvals,
    Supplier<Optional<BigDecimal>> ownLimit,
    Sleeper sleeper,
    LongSupplier nanoTime) {
  public SessionPorts {
    listeners = List.copyOf(listeners);
  }

  /** Makes ports without summaries. */
  public static SessionPorts of(
      ToolBox toolBox, Journal journal, Sleeper sleeper, LongSupplier nanoTime) {
    return new SessionPorts(
        toolBox,
        journal,
        List.of(),
        Summariser.NONE,
        Approvals.NONE,
        Optional::empty,
        sleeper,
        nanoTime);
  }

  public SessionPorts withListeners(SessionListener... others) {
    return new SessionPorts(
        toolBox, journal, List.of(others), summariser, approvals, ownLimit, sleeper, nanoTime);
  }

  public SessionPorts withSummariser(Summariser other) {
    return new SessionPorts(
        toolBox, journal, listeners, other, approvals, ownLimit, sleeper, nanoTime);
  }

  public SessionPorts withApprovals(Approvals other) {
    return new SessionPorts(
        toolBox, journal, listeners, summariser, other, ownLimit, sleeper, nanoTime);
  }

  public SessionPorts withOwnLimit(Supplier<Optional<BigDecimal>> other) {
    return new SessionPorts(
        toolBox, journal, listeners, summariser, approvals, other, sleeper, nanoTime);
  }
}
