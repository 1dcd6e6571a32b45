package dev.holdfast.web;

import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.QuestionTooSlowException;
import dev.holdfast.ticket.HoldfastException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One action on many tickets, each in a transaction of its own, while people watch its progress.
 * Thread-safe.
 */
public final class BulkAction {
  private static final Logger log = LoggerFactory.getLogger(BulkAction.class);
  private static final int REFUSALS_TOLD = 100;

  private static final String TOO_SLOW =
      "this took the database longer than web.statement-timeout: another transaction may have it"
          + " locked; a large workflow needs the command holdfast in a shell, which has no such"
          + " limit";

  /** Each of them takes the whole time-out, and where all are locked so do all that come later. */
  private static final int MOST_SLOW = 3;

  private static final String UNTOUCHED = "; the rest was not touched: try those again";

  private final String id;
  private final String action;

  /** The tickets that were too slow since one was not; only the thread that acts has it. */
  private int slow;

  private final CountDownLatch finished = new CountDownLatch(1);
  private final List<Refusal> refusals = new ArrayList<>();
  private long done;
  private long refused;
  private @Nullable String order;
  private @Nullable String problem;

  /** A ticket that was left as it is, and why. Usually somebody else was faster. */
  public record Refusal(long id, String detail) {}

  /**
   * The progress of the action.
   *
   * @param action what is done, in the past: {@code released}
   * @param done the number of tickets that it was done to
   * @param refused the number of tickets that were left as they are
   * @param refusals the first 100 of them
   * @param finished whether there is nothing more to do
   * @param problem why it ended early; null where it did not
   */
  public record Progress(
      String id,
      String action,
      long done,
      long refused,
      List<Refusal> refusals,
      boolean finished,
      @Nullable String problem) {}

  BulkAction(String id, String action) {
    this.id = id;
    this.action = action;
  }

  public String id() {
    return id;
  }

  public synchronized Progress progress() {
    return new Progress(id, action, done, refused, List.copyOf(refusals), isFinished(), problem);
  }

  public boolean isFinished() {
    return finished.getCount() == 0;
  }

  /** Waits for the end, but not longer than this; returns true if it is reached. */
  public boolean await(Duration time) throws InterruptedException {
    return finished.await(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Ends the action after the ticket it is at. */
  public void stop() {
    stop("it was stopped");
  }

  /**
   * @param why given as the problem, if there is anything left to do
   */
  synchronized void stop(String why) {
    if (order == null) {
      order = why;
    }
  }

  /** Runs the action, and returns at its end, even if it ended early. */
  <T> void run(Iterator<T> items, ToLongFunction<T> idOf, Consumer<T> change) {
    try {
      while (items.hasNext() && !obeysStop()) {
        T item = items.next();
        apply(idOf.applyAsLong(item), item, change);
      }
    } catch (QuestionTooSlowException e) {
      log.warn("{} many tickets: ended early: {}", action, e.getMessage());
      String why =
          slow == MOST_SLOW
              ? MOST_SLOW + " tickets one after the other were refused as too slow"
              : "the database took longer than web.statement-timeout to list the tickets";
      endEarly(why, UNTOUCHED);
    } catch (DatabaseUnavailableException e) {
      log.warn("{} many tickets: ended early: {}", action, e.getMessage());
      if (DatabaseUnavailableException.isAway(e)) {
        endEarly(
            "the database could not be reached",
            "; the next one may be done or not, the rest was not touched: try those again");
      } else {
        endEarly(e.getMessage() + ", which ended it", UNTOUCHED);
      }
    } catch (RuntimeException e) {
      log.error("{} many tickets: ended early", action, e);
      endEarly(
          "a fault of Holdfast's ended it",
          "; the next one may be done or not, the rest was not touched, and the log tells more");
    } finally {
      finished.countDown();
    }
  }

  private <T> void apply(long ticketId, T item, Consumer<T> change) {
    try {
      change.accept(item);
      countDone();
      slow = 0;
    } catch (QuestionTooSlowException e) {
      countRefused(ticketId, TOO_SLOW);
      slow++;
      if (slow == MOST_SLOW) {
        throw e;
      }
    } catch (HoldfastException e) {
      if (DatabaseUnavailableException.isOfAllTickets(e)) {
        throw e;
      }
      slow = 0;
      countRefused(ticketId, e.getMessage());
    }
  }

  /** Returns true if it was told to stop; this is then how it ends. */
  private synchronized boolean obeysStop() {
    problem = order;
    return order != null;
  }

  private synchronized void countDone() {
    done++;
  }

  private synchronized void countRefused(long ticketId, @Nullable String detail) {
    refused++;
    if (refusals.size() < REFUSALS_TOLD) {
      refusals.add(new Refusal(ticketId, detail == null || detail.isEmpty() ? "refused" : detail));
    }
  }

  private synchronized void endEarly(String why, String rest) {
    long through = done + refused;
    problem = why + " after " + through + (through == 1 ? " ticket" : " tickets") + rest;
  }
}
