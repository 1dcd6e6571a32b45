package dev.holdfast.queue.read;

import dev.holdfast.failure.Category;
import dev.holdfast.ticket.TicketState;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The ids of the held tickets of one error or category, read in batches, so that a hundred thousand
 * are no burden. Used by one thread.
 */
public final class HeldTickets implements Iterator<Long> {
  private static final int BATCH = 500;

  private final TicketReader reader;
  private final @Nullable Category category;
  private final @Nullable String fingerprint;
  private final Deque<Long> batch = new ArrayDeque<>();
  private @Nullable Long before;
  private boolean last;

  public HeldTickets(
      TicketReader reader, @Nullable Category category, @Nullable String fingerprint) {
    this.reader = reader;
    this.category = category;
    this.fingerprint = fingerprint;
  }

  @Override
  public boolean hasNext() {
    if (batch.isEmpty() && !last) {
      read();
    }
    return !batch.isEmpty();
  }

  @Override
  public Long next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return batch.remove();
  }

  private void read() {
    List<TicketSummary> rows =
        reader.summaries(
            new TicketFilter(TicketState.ON_HOLD, null, category, fingerprint, before, BATCH));
    rows.forEach(row -> batch.add(row.id()));
    last = rows.size() < BATCH;
    if (!rows.isEmpty()) {
      before = rows.getLast().id();
    }
  }
}
