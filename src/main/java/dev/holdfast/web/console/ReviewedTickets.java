package dev.holdfast.web.console;

import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.queue.read.TicketWindow;
import dev.holdfast.ticket.TicketState;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Results that wait for a person.
 *
 * @param design the only design whose results are meant; null is all
 */
record ReviewedTickets(@Nullable String design) {
  private static final int BATCH = 500;

  TicketFilter onPage(@Nullable Long before, int limit) {
    return TicketFilter.all(limit)
        .withState(TicketState.NEEDS_REVIEW)
        .withDesign(design)
        .withBeforeId(before);
  }

  /**
   * Returns all of them, newest first, each as it is now. A ticket that changes afterwards is
   * refused because of its version.
   *
   * @param seen what came later is left alone
   */
  Iterator<BulkRun.Item> all(TicketReader tickets, Instant seen) {
    return new Iterator<>() {
      private final Deque<BulkRun.Item> batch = new ArrayDeque<>();
      private @Nullable Long before;
      private boolean atEnd;

      @Override
      public boolean hasNext() {
        while (batch.isEmpty() && !atEnd) {
          TicketWindow page = tickets.window(onPage(before, BATCH));
          page.tickets().stream()
              .filter(each -> !completedAfter(each, seen))
              .forEach(each -> batch.add(new BulkRun.Item(each.id(), each.version())));
          before = page.next();
          atEnd = before == null;
        }
        return !batch.isEmpty();
      }

      @Override
      public BulkRun.Item next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return batch.removeFirst();
      }
    };
  }

  private static boolean completedAfter(TicketSummary ticket, Instant seen) {
    return ticket.completedAt() != null && ticket.completedAt().isAfter(seen);
  }
}
