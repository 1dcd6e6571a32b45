package dev.holdfast.worker;

import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs two threads that store ended attempts. One takes successes, and anything else while there
 * are none; the other takes what is no success, and successes while the first is slow. A failure
 * costs several times what a success does; with one thread the tickets that fail would be slower by
 * that factor (docs/adr/0008-engine-speed.md). Thread-safe.
 */
final class Completers {
  private static final Logger log = LoggerFactory.getLogger(Completers.class);

  private final EndedRuns ended = new EndedRuns();
  private final Slots slots;
  private final ResultStore store;
  private final List<Completer> completers;

  Completers(ResultStore store, WorkerLeases book, Slots slots, Events events) {
    this.slots = slots;
    this.store = store;
    this.completers =
        List.of(
            new Completer(ended, EndedRuns.Wanted.SUCCESSES_FIRST, store, book, slots, events),
            new Completer(ended, EndedRuns.Wanted.OTHERS_FIRST, store, book, slots, events));
  }

  void start() {
    completers.forEach(Completer::start);
  }

  void submit(TicketRun run) {
    slots.ended();
    if (!ended.add(run)) {
      log.warn(
          "ticket {} ended after its worker had stopped; if it is not stored in time, this is lost:"
              + " {}",
          run.ticketId(),
          Refusal.beginning(Refusal.content(run.finish())));
    }
  }

  /** Stores what has ended by now if the database is there, then ends the threads. */
  void stop() {
    store.stop();
    ended.close();
  }

  void join(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    for (Completer each : completers) {
      each.join(Duration.ofNanos(deadline - System.nanoTime()));
    }
  }
}
