package dev.holdfast.tool;

import dev.holdfast.ticket.HoldfastException;

/** A tool was given input that it cannot take (C5): the same input will not get better. */
public class ValidationException extends HoldfastException {
  public ValidationException(String message) {
    super(message);
  }
}
