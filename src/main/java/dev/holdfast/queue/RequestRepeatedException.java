package dev.holdfast.queue;

import dev.holdfast.ticket.HoldfastException;

/** The same request was done a moment before; this time nothing was done. */
public final class RequestRepeatedException extends HoldfastException {
  public RequestRepeatedException(long ticketId) {
    super("this request was done already, on ticket " + ticketId);
  }
}
