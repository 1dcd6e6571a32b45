package dev.holdfast.worker;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.StatementRefusedException;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.queue.TicketQueue;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores ended attempts in the queue, whatever it takes. Thread-safe. */
final class ResultStore {
  private static final Logger log = LoggerFactory.getLogger(ResultStore.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  /** Hears of each attempt exactly once, unless {@link #store} throws. */
  interface Receiver {
    void stored(TicketRun run, FinishResult result);

    /** Takes back an attempt that has to be stored later: somebody has its ticket locked. */
    void busy(TicketRun run);

    /**
     * Takes a refused attempt; returns true if it is to be stored later as it is, rather than held.
     */
    boolean waits(TicketRun run, RuntimeException cause);

    /** Takes back an attempt that cannot be stored, nor can the failure that would replace it. */
    void refused(TicketRun run, RuntimeException cause);
  }

  private final TicketQueue queue;
  private final CountDownLatch stopped = new CountDownLatch(1);

  ResultStore(TicketQueue queue) {
    this.queue = queue;
  }

  /** Ends the waiting for an unreachable database. */
  void stop() {
    stopped.countDown();
  }

  /**
   * Stores all of them together; if one of them is refused or locked, the others do not suffer. The
   * list may be empty if there are only leases to close.
   *
   * @param closed leases that are finished with them
   * @throws DatabaseUnavailableException if the database is away and the store is stopped
   */
  void store(List<TicketRun> runs, Collection<Long> closed, Receiver receiver)
      throws InterruptedException {
    List<FinishResult> results;
    try {
      results = untilAnswered(runs.stream().map(TicketRun::finish).toList(), closed);
    } catch (RuntimeException e) {
      if (DatabaseUnavailableException.isAway(e)) {
        throw e;
      }
      apart(runs, closed, e, receiver);
      return;
    }
    for (int i = 0; i < results.size(); i++) {
      receiver.stored(runs.get(i), results.get(i));
    }
  }

  private void apart(
      List<TicketRun> runs, Collection<Long> closed, RuntimeException cause, Receiver receiver)
      throws InterruptedException {
    if (runs.isEmpty()) {
      log.warn("leases {} could not be closed and will expire", closed, cause);
    } else if (runs.size() > 1) {
      int half = runs.size() / 2;
      store(runs.subList(0, half), Set.of(), receiver);
      store(runs.subList(half, runs.size()), closed, receiver);
    } else if (cause instanceof TicketBusyException) {
      receiver.busy(runs.getFirst());
    } else if (!receiver.waits(runs.getFirst(), cause)) {
      storeRefusal(runs.getFirst(), closed, cause, receiver);
    }
  }

  /**
   * Holds the ticket in the database's own words, with as much of its result as a row takes; if
   * that is refused too, without the result.
   */
  private void storeRefusal(
      TicketRun run, Collection<Long> closed, RuntimeException refusal, Receiver receiver)
      throws InterruptedException {
    log.warn("the result of ticket {} cannot be stored: {}", run.ticketId(), refusal.toString());
    RuntimeException cause = refusal;
    for (Finish held :
        List.of(Refusal.withResult(run.finish(), refusal), Refusal.bare(run.finish(), refusal))) {
      try {
        receiver.stored(run, untilAnswered(List.of(held), closed).getFirst());
        return;
      } catch (TicketBusyException e) {
        receiver.busy(run);
        return;
      } catch (RuntimeException e) {
        if (DatabaseUnavailableException.isAway(e)) {
          throw e;
        }
        cause = e;
      }
    }
    receiver.refused(run, cause);
  }

  /**
   * Tries until the database answers: a result that was paid for is not dropped because of an
   * outage.
   */
  private List<FinishResult> untilAnswered(List<Finish> finishes, Collection<Long> closed)
      throws InterruptedException {
    Duration pause = FIRST_PAUSE;
    while (true) {
      try {
        return queue.finish(finishes, closed);
      } catch (StatementRefusedException e) {
        throw e;
      } catch (DatabaseUnavailableException e) {
        log.warn("{} results wait for the database: {}", finishes.size(), e.getMessage());
        if (stopped.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
          throw e;
        }
        pause = longer(pause);
      }
    }
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
  }
}
