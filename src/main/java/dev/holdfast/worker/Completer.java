package dev.holdfast.worker;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.TicketEvent;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores ended attempts in a thread of its own, which takes whatever has ended: batches grow only
 * under load, and an idle worker stores at once.
 */
final class Completer {
  private static final Logger log = LoggerFactory.getLogger(Completer.class);
  private static final Duration BUSY_PAUSE = Duration.ofSeconds(2);
  private static final int MOST_REFUSED_TRIES = 5;
  private static final int MOST_WAITS = 3;

  private final EndedRuns ended;
  private final EndedRuns.Wanted wanted;

  /**
   * The attempts to be stored later: locked, or refused with everything that could replace them.
   */
  private final Set<TicketRun> busy = new LinkedHashSet<>();

  private final Map<TicketRun, Integer> refusedTries = new HashMap<>();

  /** The leases whose last attempt was stored while another completer was storing the rest. */
  private final Set<Long> emptied = new HashSet<>();

  private final ResultStore store;
  private final WorkerLeases book;
  private final Slots slots;
  private final Events events;
  private final Thread thread;
  private long busyTriedNanos;

  Completer(
      EndedRuns ended,
      EndedRuns.Wanted wanted,
      ResultStore store,
      WorkerLeases book,
      Slots slots,
      Events events) {
    this.ended = ended;
    this.wanted = wanted;
    this.store = store;
    this.book = book;
    this.slots = slots;
    this.events = events;
    String name =
        wanted == EndedRuns.Wanted.SUCCESSES_FIRST ? "holdfast-complete" : "holdfast-complete-2";
    this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void join(Duration atMost) throws InterruptedException {
    thread.join(Math.max(1, atMost.toMillis()));
  }

  private void run() {
    while (!ended.isClosed(wanted) || !emptied.isEmpty()) {
      try {
        oneRound();
      } catch (Throwable untold) {
        // Even the log failed: there is no memory, or a class cannot be loaded. The loop goes on.
      }
    }
  }

  private void oneRound() {
    try {
      List<TicketRun> batch = take();
      if (!batch.isEmpty() || !emptied.isEmpty()) {
        new Batch(batch).complete();
      }
      retryBusy();
    } catch (InterruptedException e) {
      log.debug("the completer was interrupted");
    } catch (Throwable e) {
      log.error("storing results failed", e);
    }
  }

  /** Takes what has ended; waits only if nothing is left to be done for what was stored before. */
  private List<TicketRun> take() throws InterruptedException {
    if (!emptied.isEmpty()) {
      return ended.poll(wanted, Duration.ZERO);
    }
    return busy.isEmpty() ? ended.take(wanted) : ended.poll(wanted, BUSY_PAUSE);
  }

  /**
   * Tries the busy ones again, now and then and once more at the end. The first one that is still
   * locked ends the round: waiting for each of them would hold up all others.
   */
  private void retryBusy() throws InterruptedException {
    long now = System.nanoTime();
    if (now - busyTriedNanos < BUSY_PAUSE.toNanos() && !ended.isClosed(wanted)) {
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
    private final Set<Long> closed = new HashSet<>();
    private final Map<TicketRun, FinishResult> results = new LinkedHashMap<>();

    Batch(Collection<TicketRun> runs) {
      this.left = new LinkedHashSet<>(runs);
    }

    void complete() throws InterruptedException {
      dropDisowned();
      List<TicketRun> runs = List.copyOf(left);
      closed.addAll(book.closedBy(runs));
      closed.addAll(emptied);
      emptied.clear();
      try {
        store.store(runs, closed, this);
      } finally {
        // Whatever was thrown, a slot must not leak.
        for (TicketRun run : List.copyOf(left)) {
          giveUp(run);
        }
        results.forEach(Completer.this::tell);
      }
    }

    private void dropDisowned() {
      for (TicketRun run : List.copyOf(left)) {
        if (run.isDisowned()) {
          log.error(
              "the result of ticket {} under the first lease {} is dropped; it began with: {}",
              run.ticketId(),
              run.leaseNo(),
              Refusal.beginning(Refusal.content(run.finish())));
          stored(run, new FinishResult.Stale(run.ticketId()));
        }
      }
    }

    @Override
    public void stored(TicketRun run, FinishResult result) {
      results.put(run, result);
      if (book.takeOff(run) && !closed.contains(run.leaseNo())) {
        emptied.add(run.leaseNo());
      }
      leave(run);
    }

    @Override
    public void busy(TicketRun run) {
      log.warn("ticket {} is locked by another transaction; its result waits", run.ticketId());
      setAside(run);
    }

    /** Sets a result aside: after a short wait it can mostly be stored as it is. */
    @Override
    public boolean waits(TicketRun run, RuntimeException cause) {
      if (!DatabaseUnavailableException.isWorthWaiting(cause)
          || ended.isClosed(wanted)
          || refusedTries.merge(run, 1, Integer::sum) > MOST_WAITS) {
        return false;
      }
      log.warn("the result of ticket {} waits: {}", run.ticketId(), cause.getMessage());
      setAside(run);
      return true;
    }

    /**
     * Tries again later, or gives up: the worker's end must not wait for one ticket that is refused
     * for ever.
     */
    @Override
    public void refused(TicketRun run, RuntimeException cause) {
      int tries = refusedTries.merge(run, 1, Integer::sum);
      if ((DatabaseUnavailableException.isWorthWaiting(cause) || tries < MOST_REFUSED_TRIES)
          && !ended.isClosed(wanted)) {
        log.warn(
            "ticket {} can neither be stored nor held; trying again: {}",
            run.ticketId(),
            cause.getMessage());
        setAside(run);
      } else {
        log.error("ticket {} can neither be stored nor held", run.ticketId(), cause);
        giveUp(run);
      }
    }

    private void setAside(TicketRun run) {
      left.remove(run);
      busy.add(run);
      busyTriedNanos = System.nanoTime();
    }

    /**
     * Gives up a result that cannot be stored. It must not look finished: the lease is not dropped,
     * and not renewed for it, so the ticket is rescued, late but not lost. Other attempts under the
     * lease go on.
     */
    private void giveUp(TicketRun run) {
      book.takeOff(run);
      leave(run);
      log.error(
          "ticket {} will be rescued when its lease ends; its result began with: {}",
          run.ticketId(),
          Refusal.beginning(Refusal.content(run.finish())));
    }

    private void leave(TicketRun run) {
      left.remove(run);
      refusedTries.remove(run);
      slots.stored();
    }
  }

  private void tell(TicketRun run, FinishResult result) {
    long id = run.ticketId();
    events.tell(
        switch (result) {
          case FinishResult.Succeeded each ->
              new TicketEvent.Succeeded(
                  id, each.state(), run.claimed().isRetry(), Duration.ofNanos(run.ranForNanos()));
          case FinishResult.Retried each ->
              FailureEvents.retried(each, run.claimed().isRetry(), false);
          case FinishResult.Held each -> FailureEvents.held(each, run.claimed().isRetry(), false);
          case FinishResult.Parked each -> new TicketEvent.Parked(id, each.reason());
          case FinishResult.Advanced each -> new TicketEvent.Advanced(id);
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
