package dev.holdfast.queue;

import java.time.Duration;
import java.time.Instant;

/** The time from which a ticket that no worker has started is no longer worth starting. */
public sealed interface Expiry {
  /** A time from now, by the database's clock: from the beginning of the transaction. */
  record In(Duration time) implements Expiry {}

  /** A fixed time. */
  record At(Instant time) implements Expiry {}
}
