package dev.holdfast.worker;

import dev.holdfast.ticket.Answer;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Guidance;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** A handler's view of the attempt it runs. Used by the handler's thread. */
public interface TicketContext {
  ClaimedTicket claimed();

  default long ticketId() {
    return claimed().id();
  }

  /** Returns this execution's number, from 1. */
  default int attempt() {
    return claimed().attempt();
  }

  /** Returns the task as JSON text. */
  default String payload() {
    return claimed().ticket().payload();
  }

  /** Returns the guidance of people to this ticket's attempts, oldest first. */
  default List<Guidance> guidance() {
    return claimed().guidance();
  }

  /** Returns a person's answer to its newest question; empty if it has asked none. */
  default Optional<Answer> answer() {
    return guidance().reversed().stream()
        .map(Guidance::answer)
        .filter(Objects::nonNull)
        .findFirst();
  }

  /**
   * Returns the parent of an attempt's own spans, as W3C Trace Context writes it; empty if the
   * worker traces nothing.
   */
  default Optional<String> traceparent() {
    return Optional.empty();
  }

  /**
   * Runs something once when the worker begins to drain, or at once if it drains already. A handler
   * of paid or long work ends then at its next good place with {@link InterruptedException}: its
   * ticket is given back and uses up no retry. The thread is interrupted only when the drain
   * timeout is over. The default is for a context that never drains.
   *
   * @param action must not block; another thread may run it. What it throws is only logged
   */
  default void onDrain(Runnable action) {}

  /**
   * Returns true once the attempt's result will not be wanted any more; the thread is interrupted
   * too.
   */
  boolean isCancelled();
}
