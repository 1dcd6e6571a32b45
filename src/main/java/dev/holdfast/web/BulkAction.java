package dev.holdfast.web;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One thing done to many tickets, each in a transaction of its own, while people watch how far it
 * is. Thread-safe.
 */
public final class BulkAction {
  private static final int REFUSALS_TOLD = 100;

  private final String id;
  private final String action;
  private final CountDownLatch finished = new CountDownLatch(1);
  private final List<Refusal> refusals = new ArrayList<>();
  private long done;
  private long refused;
  private @Nullable String problem;

  /** A ticket that was left as it is, and why: as a rule because somebody else was faster. */
  public record Refusal(long id, String detail) {}

  /**
   * How far it is.
   *
   * @param action what is done, in the past: {@code released}
   * @param done how many it was done to
   * @param refused how many were left as they are
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
    return new Progress(
        id, action, done, refused, List.copyOf(refusals), finished.getCount() == 0, problem);
  }

  /** Waits for the end, but not longer than this; true if it is reached. */
  public boolean await(Duration time) throws InterruptedException {
    return finished.await(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  synchronized void countDone() {
    done++;
  }

  synchronized void countRefused(long ticketId, String detail) {
    refused++;
    if (refusals.size() < REFUSALS_TOLD) {
      refusals.add(new Refusal(ticketId, detail));
    }
  }

  synchronized void fail(String detail) {
    problem = detail;
  }

  void finish() {
    finished.countDown();
  }
}
