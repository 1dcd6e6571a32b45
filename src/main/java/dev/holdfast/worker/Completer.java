package dev.holdfast.worker;

import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.TicketEvent;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores ended attempts. One thread takes whatever has ended, so that batches grow only under load
 * and an idle worker stores at once.
 */
final class Completer {
  private static final Logger log = LoggerFactory.getLogger(Completer.class);
  private static final Duration BUSY_PAUSE = Duration.ofSeconds(2);

  private final EndedRuns ended = new EndedRuns();
  private final Set<TicketRun> busy = new LinkedHashSet<>();
  private final ResultStore store;
  private final LeaseBook book;
  private final Slots slots;
  private final Events events;
  private final Thread thread;
  private long busyTriedNanos;

  Completer(ResultStore store, LeaseBook book, Slots slots, Events events) {
    this.store = store;
    this.book = book;
    this.slots = slots;
    this.events = events;
    this.thread = Thread.ofPlatform().name("holdfast-complete").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void submit(TicketRun run) {
    ended.add(run);
  }

  /** Stores what has ended by now if the database is there, then ends the thread. */
  void stop() {
    store.stop();
    ended.close();
  }

  void join(Duration atMost) throws InterruptedException {
    thread.join(Math.max(1, atMost.toMillis()));
  }

  private void run() {
    while (!ended.isClosed()) {
      List<TicketRun> batch = List.of();
      try {
        batch = busy.isEmpty() ? ended.take() : ended.poll(BUSY_PAUSE);
        if (!batch.isEmpty()) {
          new Batch(batch).complete();
        }
        retryBusy();
      } catch (InterruptedException e) {
        log.debug("the completer was interrupted");
      } catch (Throwable e) {
        log.error("storing results failed", e);
      }
    }
  }

  /**
   * Now and then, and once more at the end. One that is still locked ends the round: waiting for
   * each of them would hold up all others.
   */
  private void retryBusy() throws InterruptedException {
    long now = System.nanoTime();
    if (now - busyTriedNanos < BUSY_PAUSE.toNanos() && !ended.isClosed()) {
      return;
    }
    busyTriedNanos = now;
    for (TicketRun run : List.copyOf(busy)) {
      busy.remove(run);
      new Batch(List.of(run)).complete();
      if (busy.contains(run)) {
        return;
      }
    }
  }

  /** Ended attempts that are stored together. Each leaves it exactly once, whatever happens. */
  private final class Batch implements ResultStore.Receiver {
    private final Set<TicketRun> left;
    private final Map<TicketRun, FinishResult> results = new LinkedHashMap<>();

    Batch(Collection<TicketRun> runs) {
      this.left = new LinkedHashSet<>(runs);
    }

    void complete() throws InterruptedException {
      List<TicketRun> runs = List.copyOf(left);
      try {
        store.store(runs, book.closedBy(runs), this);
      } finally {
        // Whatever was thrown, a slot must not leak.
        for (TicketRun run : List.copyOf(left)) {
          giveUp(run);
        }
        results.forEach(Completer.this::tell);
      }
    }

    @Override
    public void stored(TicketRun run, FinishResult result) {
      results.put(run, result);
      book.takeOff(run);
      leave(run);
    }

    @Override
    public void busy(TicketRun run) {
      log.warn("ticket {} is locked by another transaction; its result waits", run.ticketId());
      left.remove(run);
      busy.add(run);
      busyTriedNanos = System.nanoTime();
    }

    @Override
    public void refused(TicketRun run, RuntimeException cause) {
      log.error("ticket {} cannot be stored", run.ticketId(), cause);
      giveUp(run);
    }

    /**
     * What is not stored must not look finished: its lease is neither renewed nor dropped, so the
     * ticket is rescued, late but not lost.
     */
    private void giveUp(TicketRun run) {
      log.error("ticket {} will be rescued when its lease ends", run.ticketId());
      book.forget(run).forEach(other -> other.stop(TicketRun.StopCause.LEASE_LOST));
      leave(run);
    }

    private void leave(TicketRun run) {
      left.remove(run);
      slots.release(1);
    }
  }

  private void tell(TicketRun run, FinishResult result) {
    long id = run.ticketId();
    boolean retry = run.claimed().retryCount() > 0;
    events.tell(
        switch (result) {
          case FinishResult.Succeeded each ->
              new TicketEvent.Succeeded(
                  id, each.state(), retry, Duration.ofNanos(run.ranForNanos()));
          case FinishResult.Retried each -> FailureEvents.retried(each, retry, false);
          case FinishResult.Held each -> FailureEvents.held(each, retry, false);
          case FinishResult.GivenBack each -> new TicketEvent.GivenBack(id);
          case FinishResult.Deferred each ->
              new TicketEvent.Deferred(
                  id,
                  run.finish() instanceof Finish.Deferred deferred
                      ? deferred.delay()
                      : Duration.ZERO,
                  each.waitsFor().words());
          case FinishResult.Stale each -> new TicketEvent.StaleResultDropped(id);
        });
  }
}
