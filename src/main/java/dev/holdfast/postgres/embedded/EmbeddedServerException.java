package dev.holdfast.postgres.embedded;

import dev.holdfast.ticket.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * The embedded PostgreSQL cannot be prepared, started or stopped; the message names the next step.
 */
public final class EmbeddedServerException extends HoldfastException {
  EmbeddedServerException(String message) {
    super(message);
  }

  EmbeddedServerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
