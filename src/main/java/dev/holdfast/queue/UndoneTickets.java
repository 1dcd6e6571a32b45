package dev.holdfast.queue;

import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.ticket.TicketState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Undoes a release of many tickets while it is read: the first portion at once, each further one
 * when it is wanted. Used by one thread.
 */
public final class UndoneTickets implements Iterator<UndoneTickets.Undone> {
  /** The time for which a release can be undone, from its last ticket on. */
  public static final Duration TIME = Duration.ofSeconds(60);

  private final TicketDesk desk;
  private final String release;
  private final String actor;
  private final long begun = System.nanoTime();
  private final Deque<Undone> portion = new ArrayDeque<>();
  private boolean atEnd;

  /**
   * A ticket that was released.
   *
   * @param state its present state
   * @param takenBack false where it was left alone, because it has begun or was changed since
   */
  public record Undone(long ticketId, TicketState state, boolean takenBack) {
    /**
     * @throws IllegalTransitionException where it was left alone
     */
    public void require() {
      if (!takenBack) {
        throw new IllegalTransitionException(
            state == TicketState.READY
                ? "it has begun since, and is ready again"
                : "it is " + state.wireName() + " by now");
      }
    }
  }

  /**
   * @param release the key of {@link TicketDesk#releasingAs}
   * @throws IllegalTransitionException if it is too late
   * @throws NotFoundException if there is nothing to undo under this key
   */
  public UndoneTickets(TicketDesk desk, String release, String actor) {
    this.desk = desk;
    this.release = release;
    this.actor = actor;
    if (!hasNext()) {
      throw new NotFoundException(
          "there is nothing to undo: all of this release was taken back or has begun, or there is"
              + " no such release");
    }
  }

  @Override
  public boolean hasNext() {
    if (portion.isEmpty() && !atEnd) {
      // An undoing that began in time may go on to its end.
      Duration since = Duration.ofNanos(System.nanoTime() - begun);
      portion.addAll(desk.undoSome(release, actor, TIME.plus(since)));
      atEnd = portion.isEmpty();
    }
    return !portion.isEmpty();
  }

  @Override
  public Undone next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return portion.removeFirst();
  }
}
