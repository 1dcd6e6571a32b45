package dev.holdfast.queue.read;

import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.TicketState;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The ids of the held tickets that match, oldest first, read in batches, so that a hundred thousand
 * are no burden. Used by one thread.
 */
public final class HeldTickets implements Iterator<Long> {
  private static final int BATCH = 500;

  private final TicketReader reader;
  private final TicketFilter filter;
  private final @Nullable Instant heldBefore;
  private final Deque<Long> batch = new ArrayDeque<>();
  private long last;
  private boolean atEnd;

  /**
   * Reads the held tickets of one error or category.
   *
   * @throws InvalidInputException if the fingerprint is too short to choose by
   */
  public HeldTickets(TicketReader reader, @Nullable String category, @Nullable String fingerprint) {
    this(
        reader,
        TicketFilter.all(BATCH)
            .withState(TicketState.ON_HOLD)
            .withError(category, TicketFilter.fingerprint(fingerprint)),
        null);
  }

  /**
   * @param heldBefore tickets that were held later are left alone; null takes all
   */
  public HeldTickets(TicketReader reader, TicketFilter filter, @Nullable Instant heldBefore) {
    this.reader = reader;
    this.filter = filter;
    this.heldBefore = heldBefore;
  }

  @Override
  public boolean hasNext() {
    if (batch.isEmpty() && !atEnd) {
      batch.addAll(reader.heldIds(filter, last, heldBefore, BATCH));
      atEnd = batch.size() < BATCH;
      last = batch.isEmpty() ? last : batch.getLast();
    }
    return !batch.isEmpty();
  }

  @Override
  public Long next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return batch.removeFirst();
  }
}
