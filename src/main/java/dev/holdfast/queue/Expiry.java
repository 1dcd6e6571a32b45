package dev.holdfast.queue;

import java.time.Duration;
import java.time.Instant;

/** From when on a ticket that no worker has started is no longer worth it. */
public sealed interface Expiry {
  /** So long from now, by the database's clock: from the beginning of the transaction. */
  record In(Duration time) implements Expiry {}

  /** At a time. */
  record At(Instant time) implements Expiry {}
}
