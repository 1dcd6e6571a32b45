package dev.holdfast.queue;

import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.ticket.TicketState;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Actions of people on tickets. Each call is one transaction, is logged in {@code ticket_activity}
 * with its actor, and is refused with {@link dev.holdfast.ticket.IllegalTransitionException} if the
 * ticket is not in a state that allows it (exactly one of two people wins; the other is told who
 * did) or {@link dev.holdfast.ticket.NotFoundException} if it is unknown. Thread-safe.
 */
public interface TicketDesk {
  /**
   * Changes on_hold to ready.
   *
   * @param guidance what the next attempt is told; may be null
   * @param retries whether the used retries are forgotten, which is usual, or kept (A56)
   * @return the new state
   */
  default TicketState release(
      long ticketId, String actor, @Nullable String guidance, Retries retries) {
    return release(ticketId, actor, guidance, retries, Conversation.RESUME);
  }

  /**
   * Changes on_hold to ready.
   *
   * @param conversation whether an agent goes on with its session, which is usual, or starts over
   */
  TicketState release(
      long ticketId,
      String actor,
      @Nullable String guidance,
      Retries retries,
      Conversation conversation);

  enum Conversation {
    RESUME,
    START_OVER
  }

  enum Retries {
    RESET,
    KEEP
  }

  /** Changes ready or in_progress to on_hold; a running attempt is stopped. */
  TicketState hold(long ticketId, String actor, String reason);

  /** Changes any open state to cancelled; a running attempt is stopped (A58). */
  TicketState cancel(long ticketId, String actor, @Nullable String reason);

  /**
   * Decides a tool call that a held ticket waits for. The last decision sends the ticket back to
   * work.
   *
   * @return the ticket's state: on_hold while more of its calls wait
   * @throws dev.holdfast.ticket.InvalidInputException where several calls wait and none is named,
   *     or the arguments are no JSON object
   */
  TicketState decideCall(long ticketId, String actor, CallDecision decision);

  /**
   * Answers the question that a held ticket waits with: on_hold to ready. No retry is used up.
   *
   * @param answer JSON text
   * @throws dev.holdfast.ticket.InvalidInputException if the question does not take this answer
   */
  TicketState answer(long ticketId, String actor, String answer);

  /**
   * Works a workflow again from one of its steps on; the steps that do not wait for that step keep
   * their results. A workflow that is done or cancelled stays so.
   *
   * @return the ticket that runs: itself, or the new one that takes its place
   */
  long replay(long ticketId, String actor, String fromStep);

  /** Changes needs_review to done. */
  TicketState approve(long ticketId, String actor);

  /** Changes needs_review to ready; the feedback becomes guidance. */
  TicketState reject(long ticketId, String actor, String feedback);

  /**
   * Ends the wait that a ticket is in. The session of a running ticket is ordered to end the retry
   * that it waits in. The order is void if nothing waits in the next 15 s, and {@link
   * TicketReader#hasRetryAbort} shows whether it was taken. A ticket that waits for its own retry
   * or for a provider is tried now: one call may be made before the provider's cool-down is over.
   *
   * @return in_progress where it was ordered, ready where the ticket is tried now
   */
  TicketState abortRetry(long ticketId, String actor);

  /**
   * Takes back an order of {@link #abortRetry} by the same person, so that it ends no retry that
   * begins later.
   *
   * @return whether no worker had taken it yet
   */
  boolean withdrawAbortRetry(long ticketId, String actor);

  /**
   * Switches the retries of an agent's session off or on for one ticket, also while it runs, on any
   * worker, until it is switched again. A retry that waits ends within a second if they are
   * switched off; the ticket's own retries go on. The ticket may be in any open state.
   *
   * @return the state, which does not change
   */
  TicketState setAutoRetry(long ticketId, String actor, AutoRetry autoRetry);

  enum AutoRetry {
    ON,
    OFF
  }

  /**
   * Undoes a release of the last 60 seconds as if it had not been, if no worker has claimed the
   * ticket yet: ready becomes on_hold, with the hold, the retry counts and the guidance from
   * before. A workflow that was not on hold itself stays ready, and its steps are put back.
   */
  TicketState unrelease(long ticketId, String actor);

  /**
   * Undoes a portion of what a desk of {@link #releasingAs} has released, as {@link #unrelease}
   * does, but leaves tickets alone that have begun since. {@link UndoneTickets} undoes all of it.
   *
   * @param within how long ago the last ticket was released at most
   * @return the tickets of the portion; empty once there are no more
   */
  List<UndoneTickets.Undone> undoSome(String release, String actor, Duration within);

  /**
   * Lets the next attempts of a held ticket use another version of its design; it stays on hold.
   *
   * @param version the latest one where it is null
   * @throws dev.holdfast.ticket.IllegalTransitionException also for a workflow, a ticket without a
   *     design, or a version of another kind
   */
  TicketState useDesign(long ticketId, String actor, @Nullable Integer version);

  /**
   * Changes the payload of a held ticket; it stays on hold.
   *
   * @param payload JSON text
   */
  TicketState editPayload(long ticketId, String actor, String payload);

  /**
   * Says which person looks after a ticket, in any state, which does not change.
   *
   * @param assignee a name of at most 100 characters; null is nobody any more
   */
  TicketState assign(long ticketId, @Nullable String assignee, String actor);

  /**
   * Returns a desk whose releases can be undone as a whole. It releases each ticket once: one that
   * was released with its workflow counts as released.
   *
   * @param release a key that no other release has
   */
  TicketDesk releasingAs(String release);

  /** Returns how many tickets of what a desk of {@link #releasingAs} has released can be undone. */
  int releasedAs(String release);

  /**
   * Returns a desk for an order on several tickets that begins now: it does not refuse to hold or
   * cancel what this person has held or cancelled since, with its workflow for example.
   */
  TicketDesk asOneOrder();

  /** Returns a desk that records the way its visitors came. */
  TicketDesk through(Channel channel);

  /**
   * Returns a desk that acts on a ticket once under this key, in the same transaction.
   *
   * @throws RequestRepeatedException from an action that was done before
   */
  TicketDesk once(TicketInbox.RequestKey key);

  /**
   * Returns the same desk for a person who acts on what they have seen: every action on a ticket is
   * refused with {@link StaleViewException} unless the ticket is still as it was then.
   *
   * @param version the value of {@link TicketRow#version}
   */
  TicketDesk onVersion(String version);

  /**
   * Stops claims from a queue, over restarts, until it is resumed.
   *
   * @throws dev.holdfast.ticket.NotFoundException if no ticket was ever in the queue and no worker
   *     names it
   */
  void pauseQueue(String queue, String actor);

  void resumeQueue(String queue, String actor);
}
