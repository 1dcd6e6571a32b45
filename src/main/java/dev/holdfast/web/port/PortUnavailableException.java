package dev.holdfast.web.port;

import dev.holdfast.ticket.HoldfastException;
import java.io.IOException;

/**
 * The port cannot be listened on: somebody else does, it is not allowed, or the address does not
 * belong to this host.
 */
public final class PortUnavailableException extends HoldfastException {
  PortUnavailableException(String host, int port, IOException cause) {
    super(
        ("port %s on %s cannot be had (%s); choose another with --port, 0 takes a free"
                + " one, or another web.host")
            .formatted(port, host, cause.getMessage()),
        cause);
  }
}
