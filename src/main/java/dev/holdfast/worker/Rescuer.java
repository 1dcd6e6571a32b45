package dev.holdfast.worker;

import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.TicketQueue;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes tickets back whose lease has ended, and holds tickets that expired before they began. */
final class Rescuer {
  private static final Logger log = LoggerFactory.getLogger(Rescuer.class);
  private static final int BATCH = 100;

  private final TicketQueue queue;
  private final Events events;
  private final Duration interval;

  Rescuer(TicketQueue queue, Events events, Duration interval) {
    this.queue = queue;
    this.events = events;
    this.interval = interval;
  }

  /** Does one round; returns the wait before the next. */
  Duration rescue() {
    List<FinishResult> rescued = queue.rescue(BATCH);
    for (FinishResult result : rescued) {
      log.warn(
          "rescued ticket {}: its lease had expired; {}",
          result.ticketId(),
          result.getClass().getSimpleName());
      switch (result) {
        case FinishResult.Retried each ->
            events.tell(FailureEvents.retried(each, each.ofRetry(), true));
        case FinishResult.Held each -> events.tell(FailureEvents.held(each, each.ofRetry(), true));
        case FinishResult.GivenBack each ->
            events.tell(new TicketEvent.GivenBack(each.ticketId(), true));
        case FinishResult.Succeeded _,
            FinishResult.Parked _,
            FinishResult.Advanced _,
            FinishResult.Deferred _,
            FinishResult.Stale _ -> {}
      }
    }
    List<Long> expired = queue.holdExpired(BATCH);
    if (!expired.isEmpty()) {
      log.warn("{} tickets are on hold: they expired before a worker started them", expired.size());
    }
    expired.forEach(id -> events.tell(new TicketEvent.Parked(id, "expired")));
    boolean more = rescued.size() >= BATCH || expired.size() >= BATCH;
    return more ? Duration.ZERO : interval;
  }
}
