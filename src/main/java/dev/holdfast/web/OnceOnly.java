package dev.holdfast.web;

import dev.holdfast.queue.TicketInbox.RequestKey;
import java.util.function.Function;

/** Does what a request asks for once per {@code Idempotency-Key}. Thread-safe. */
@FunctionalInterface
public interface OnceOnly {
  /**
   * An answer.
   *
   * @param repeated whether it is that of an earlier request
   */
  record Told(String body, boolean repeated) {}

  /**
   * Stores the deed, the key and the answer in one transaction; where the key is there already, only
   * tells the answer.
   *
   * @param deed with the ports that take part in the transaction; returns the answer's body
   * @throws dev.holdfast.ticket.InvalidTicketException if the key was used for another request
   */
  Told answer(RequestKey key, Function<WebPorts, String> deed);
}
