package dev.holdfast.queue;

import org.jspecify.annotations.Nullable;

/**
 * The database is there, but has no room on its disk, no memory or no resources for this statement,
 * or cannot read or write. That mostly passes after a while, and is not the ticket's fault.
 */
public final class ServerExhaustedException extends StatementRefusedException {
  public ServerExhaustedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
