package dev.holdfast.worker;

import dev.holdfast.queue.Finish;
import dev.holdfast.ticket.ClaimedTicket;
import java.util.List;
import java.util.Optional;

/**
 * Hears of claims and attempts as they begin and end, so that a ticket can be followed over several
 * workers. What it throws is logged, and then the claim or attempt has no trace. Thread-safe.
 */
@FunctionalInterface
public interface Tracing {
  /** Traces nothing. */
  Tracing NONE = (tickets, startedNanos) -> ticket -> Attempt.NONE;

  /**
   * Begins the trace of a claim that has brought tickets, none of which runs yet. Called on the
   * claiming thread.
   *
   * @param startedNanos when it began, by {@link System#nanoTime}
   */
  Claim claimed(List<ClaimedTicket> tickets, long startedNanos);

  /** The trace of a claim. */
  @FunctionalInterface
  interface Claim {
    /** Begins the trace of an attempt. Called on its thread. */
    Attempt begin(ClaimedTicket ticket);
  }

  /** The trace of an attempt that runs. */
  @FunctionalInterface
  interface Attempt {
    Attempt NONE = finish -> {};

    /**
     * Ends the trace; no secret is in the finish that is to be stored. Called once, as a rule on
     * its thread.
     */
    void end(Finish finish);

    /** Returns the trace that its programs are given, in the form of W3C Trace Context. */
    default Optional<String> traceparent() {
      return Optional.empty();
    }
  }
}
