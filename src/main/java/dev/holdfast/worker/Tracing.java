package dev.holdfast.worker;

import dev.holdfast.queue.Finish;
import dev.holdfast.ticket.ClaimedTicket;
import java.util.List;
import java.util.Optional;

/**
 * Hears of claims and attempts as they begin and end, for whoever follows a ticket over several
 * workers. What it throws is logged, and nothing follows then. Thread-safe.
 */
@FunctionalInterface
public interface Tracing {
  /** Follows nothing. */
  Tracing NONE = (tickets, startedNanos) -> ticket -> Attempt.NONE;

  /**
   * A claim has brought tickets, none of which runs yet. Called on the claiming thread.
   *
   * @param startedNanos when it began, by {@link System#nanoTime}
   */
  Claim claimed(List<ClaimedTicket> tickets, long startedNanos);

  /** The trace of a claim. */
  @FunctionalInterface
  interface Claim {
    /** An attempt begins. Called on its thread. */
    Attempt begin(ClaimedTicket ticket);
  }

  /** An attempt that runs. */
  @FunctionalInterface
  interface Attempt {
    Attempt NONE = finish -> {};

    /**
     * It has ended, and no secret is in what is to be stored of it. Called once, as a rule on its
     * thread.
     */
    void end(Finish finish);

    /** The trace as its programs are told of it, in the form of W3C Trace Context. */
    default Optional<String> traceparent() {
      return Optional.empty();
    }
  }
}
