package dev.holdfast.worker;

import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.TicketListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Collects a worker's events and lets a test wait for them. Thread-safe. */
final class EventLog implements TicketListener {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final List<TicketEvent> events = new ArrayList<>();

  @Override
  public synchronized void on(TicketEvent event) {
    events.add(event);
    notifyAll();
  }

  synchronized List<TicketEvent> all() {
    return List.copyOf(events);
  }

  synchronized <T extends TicketEvent> List<T> all(Class<T> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** Waits for the first event of a type. */
  <T extends TicketEvent> T await(Class<T> type) {
    return await(type, 1).getFirst();
  }

  /** Waits for so many events of a type. */
  synchronized <T extends TicketEvent> List<T> await(Class<T> type, int count) {
    awaitUntil(count + " events " + type.getSimpleName(), log -> all(type).size() >= count);
    return all(type);
  }

  synchronized <T extends TicketEvent> List<T> await(Class<T> type, long ticketId) {
    Predicate<T> ofTicket = event -> event.ticketId() == ticketId;
    awaitUntil(
        type.getSimpleName() + " of ticket " + ticketId,
        log -> all(type).stream().anyMatch(ofTicket));
    return all(type).stream().filter(ofTicket).toList();
  }

  /** Waits until so many attempts ended, however they did. */
  synchronized void awaitOutcomes(int count) {
    awaitUntil(count + " outcomes", log -> count(log, EventLog::isOutcome) >= count);
  }

  /** Waits until so many attempts ended after which the ticket is not run again by itself. */
  synchronized void awaitEnded(int count) {
    awaitUntil(
        count + " ends",
        log ->
            count(log, event -> isOutcome(event) && !(event instanceof TicketEvent.RetryScheduled))
                >= count);
  }

  private Map<String, Long> counts() {
    return events.stream()
        .collect(
            Collectors.groupingBy(
                event -> event.getClass().getSimpleName(), Collectors.counting()));
  }

  private static boolean isOutcome(TicketEvent event) {
    return !(event instanceof TicketEvent.Claimed);
  }

  private static long count(List<TicketEvent> log, Predicate<TicketEvent> which) {
    return log.stream().filter(which).count();
  }

  synchronized int size() {
    return events.size();
  }

  synchronized void awaitMoreThan(int size) {
    awaitUntil("more than " + size + " events", log -> log.size() > size);
  }

  private synchronized void awaitUntil(String what, Predicate<List<TicketEvent>> condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.test(events)) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new AssertionError("no " + what + " in " + PATIENCE + ", but " + counts());
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        throw new AssertionError("interrupted", e);
      }
    }
  }
}
