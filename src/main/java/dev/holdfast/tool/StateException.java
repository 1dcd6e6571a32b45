package dev.holdfast.tool;

import dev.holdfast.ticket.HoldfastException;

/** A tool was used in a state in which it cannot be used (C7): not retried. */
public class StateException extends HoldfastException {
  public StateException(String message) {
    super(message);
  }
}
