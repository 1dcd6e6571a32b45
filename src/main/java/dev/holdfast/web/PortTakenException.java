package dev.holdfast.web;

import dev.holdfast.ticket.HoldfastException;

/** Somebody else listens on the port. */
public final class PortTakenException extends HoldfastException {
  PortTakenException(String host, int port, Throwable cause) {
    super(
        "port "
            + port
            + " on "
            + host
            + " is taken; choose another with --port, 0 takes a free one",
        cause);
  }
}
