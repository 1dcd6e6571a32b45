package dev.holdfast.web.console;

import dev.holdfast.ticket.HoldfastException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One action on many tickets, each in a transaction of its own: what cannot be done with one ticket
 * does not stop the others. Thread-safe.
 */
final class BulkRun {
  private static final Logger log = LoggerFactory.getLogger(BulkRun.class);
  private static final int MOST_PROBLEMS = 50;

  private final String id;
  private final Verb verb;
  private final long total;
  private final String back;
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<Long> done = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private long failed;
  private boolean stopped;
  private @Nullable String broken;

  /** What is done, in words. */
  record Verb(String past, boolean canBeUndone) {}

  /** Does it with one ticket. */
  @FunctionalInterface
  interface Action {
    /**
     * @throws HoldfastException where it is refused
     */
    void on(Item item);
  }

  /**
   * A ticket.
   *
   * @param version as it was seen; null for whatever it is
   */
  record Item(long id, @Nullable String version) {}

  /**
   * @param total how many there are, as far as is known
   * @param back the page it was ordered from
   */
  BulkRun(String id, Verb verb, long total, String back) {
    this.id = id;
    this.verb = verb;
    this.total = total;
    this.back = back;
  }

  /** Returns when all is done, or when it was told to stop. */
  void run(Iterator<Item> items, Action action) {
    try {
      while (!isStopped() && items.hasNext()) {
        Item item = items.next();
        try {
          action.on(item);
          succeeded(item.id());
        } catch (dev.holdfast.queue.QueueUnavailableException e) {
          throw e;
        } catch (HoldfastException e) {
          failed("#" + item.id() + ": " + TicketForms.sentence(e));
        }
      }
    } catch (RuntimeException e) {
      log.warn("{} tickets stopped: {}", verb.past(), e.toString());
      breakOff("the database cannot be reached just now; what is left was not touched");
    } finally {
      end.countDown();
    }
  }

  private synchronized void succeeded(long ticket) {
    done.add(ticket);
  }

  private synchronized void failed(String problem) {
    failed++;
    if (problems.size() < MOST_PROBLEMS) {
      problems.add(problem);
    }
  }

  private synchronized void breakOff(String why) {
    broken = why;
  }

  synchronized void stop() {
    stopped = true;
  }

  private synchronized boolean isStopped() {
    return stopped;
  }

  /** Whether it is over within that time. */
  boolean waitFor(long millis) throws InterruptedException {
    return end.await(millis, TimeUnit.MILLISECONDS);
  }

  boolean isOver() {
    return end.getCount() == 0;
  }

  String id() {
    return id;
  }

  String back() {
    return back;
  }

  synchronized long processed() {
    return done.size() + failed;
  }

  long total() {
    return Math.max(total, processed());
  }

  /** What can be undone. */
  synchronized List<Long> undoable() {
    return verb.canBeUndone() && isOver() ? List.copyOf(done) : List.of();
  }

  /** {@code Released 41 of 42.}, with a line for each ticket with which it was not done. */
  synchronized Notice notice() {
    List<String> details = new ArrayList<>(problems);
    if (failed > problems.size()) {
      details.add("and " + Format.number(failed - problems.size()) + " more");
    }
    return new Notice(failed == 0 && broken == null, words(), details, undoable());
  }

  private String words() {
    String some = verb.past() + " " + Format.number(done.size());
    if (!isOver()) {
      return some + " so far.";
    }
    String count =
        failed == 0 && broken == null && !stopped
            ? done.size() == 1 ? " ticket" : " tickets"
            : " of " + Format.number(Math.max(total, done.size() + failed));
    return some
        + count
        + (stopped ? ", then stopped" : "")
        + (broken == null ? "." : "; " + broken + ".");
  }
}
