package dev.holdfast.worker;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Classifier;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.failure.Failure;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.Finish;
import dev.holdfast.retry.HoldCause;
import dev.holdfast.retry.RetryDecision;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.TicketWait;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * One attempt in this process: runs the handler on a virtual thread of its own and hands the
 * outcome on exactly once.
 */
final class TicketRun implements TicketContext, Runnable {
  private static final Logger log = LoggerFactory.getLogger(TicketRun.class);

  /** Why an attempt is stopped from outside. */
  enum StopCause {
    /** A person cancelled or held the ticket: its result will be refused. */
    REVOKED,
    /** The lease is lost or about to be. */
    LEASE_LOST,
    /** The worker is stopping. */
    DRAIN
  }

  private static final Failure UNTOLD =
      new Failure(
          "the attempt ended by an error that could not be told",
          Category.UNKNOWN,
          Classifier.NONE,
          "",
          null,
          null,
          "untold error");

  private final ClaimedTicket claimed;

  /**
   * The finish if no other can be made. It is made early: later there may be no memory, or a class
   * cannot be loaded.
   */
  private final Finish untold;

  private final TicketHandler handler;
  private final Classifier classifier;
  private final FinishRedaction redaction;
  private final LongPredicate outages;
  private final Consumer<WorkerUnfitException> unfit;
  private final Tracing.Claim claim;
  private final Consumer<TicketRun> whenEnded;
  private final long startedNanos = System.nanoTime();
  private final Thread thread;
  private final List<Runnable> onDrain = new ArrayList<>();
  private boolean draining;
  private boolean disowned;
  private @Nullable StopCause stopCause;
  private @Nullable Finish finish;
  private long endedNanos;
  private volatile Tracing.Attempt trace = Tracing.Attempt.NONE;
  private @Nullable TicketRun older;

  /**
   * @param outages whether this ticket is excused if it has not reached a database
   * @param unfit hears that this worker's machine can work no ticket
   */
  TicketRun(
      ClaimedTicket claimed,
      TicketHandler handler,
      Classifier classifier,
      FinishRedaction redaction,
      LongPredicate outages,
      Consumer<WorkerUnfitException> unfit,
      Tracing.Claim claim,
      Consumer<TicketRun> whenEnded) {
    this.claimed = claimed;
    this.untold = new Finish.Failed(claimed.id(), claimed.lease().no(), UNTOLD);
    this.handler = handler;
    this.classifier = classifier;
    this.redaction = redaction;
    this.outages = outages;
    this.unfit = unfit;
    this.claim = claim;
    this.whenEnded = whenEnded;
    this.thread = Thread.ofVirtual().name("ticket-" + claimed.id()).unstarted(this);
  }

  /**
   * Lets its handler begin only after the handler of an older attempt of the ticket has returned: a
   * person may hold a ticket and release it again faster than a program ends. To be called before
   * the start.
   */
  void after(TicketRun other) {
    older = other;
  }

  void start() {
    thread.start();
  }

  @Override
  public ClaimedTicket claimed() {
    return claimed;
  }

  @Override
  public synchronized boolean isCancelled() {
    return stopCause != null;
  }

  @Override
  public void onDrain(Runnable action) {
    synchronized (this) {
      if (!draining) {
        onDrain.add(action);
        return;
      }
    }
    tell(action);
  }

  /** Tells the handler that the worker drains; once. */
  void drain() {
    List<Runnable> actions;
    synchronized (this) {
      draining = true;
      actions = List.copyOf(onDrain);
      onDrain.clear();
    }
    actions.forEach(this::tell);
  }

  /** Runs an action. One that throws harms neither the drain nor the attempt (A52). */
  private void tell(Runnable action) {
    try {
      action.run();
    } catch (Throwable e) {
      ForeignFailure.warn(
          log, "what ticket %s does when its worker drains failed".formatted(claimed.id()), e);
    }
  }

  private synchronized boolean isDraining() {
    return draining;
  }

  /** Returns whether the caller is this attempt's handler. */
  boolean isCurrentThread() {
    return Thread.currentThread().equals(thread);
  }

  long leaseNo() {
    return claimed.lease().no();
  }

  /** Returns the time that it ran. To be called only after it has ended. */
  synchronized long ranForNanos() {
    return endedNanos - startedNanos;
  }

  /** Returns the finish to be stored. To be called only after it has ended. */
  synchronized Finish finish() {
    return Objects.requireNonNull(finish, "still running");
  }

  /** Interrupts the handler; the first cause counts. Returns whether it did anything. */
  synchronized boolean stop(StopCause cause) {
    if (finish != null || stopCause != null) {
      return false;
    }
    stopCause = cause;
    thread.interrupt();
    return true;
  }

  /** Interrupts a handler again that was stopped and is slow: then a program is killed at once. */
  synchronized void hurry() {
    if (finish == null) {
      thread.interrupt();
    }
  }

  /**
   * Stops it for good: another lease has its lease's number now, and its result would end that one.
   */
  synchronized void disown() {
    disowned = true;
    stop(StopCause.LEASE_LOST);
  }

  synchronized boolean isDisowned() {
    return disowned;
  }

  /**
   * Ends the attempt although its handler goes on: it does not heed interrupts, and what it returns
   * later is dropped.
   */
  void abandon() {
    end(givenBack());
  }

  /**
   * Runs the attempt. Whatever is logged on this thread meanwhile names the ticket and the attempt
   * (B72).
   */
  @Override
  public void run() {
    try (var _ = MDC.putCloseable("ticket", Long.toString(claimed.id()));
        var _ = MDC.putCloseable("attempt", Integer.toString(attempt()))) {
      beginTrace();
      Finish outcome = outcome();
      if (!end(outcome)) {
        log.warn(
            "ticket {} was given back when its worker stopped; its handler ended only now, and what"
                + " it returned is dropped: {}",
            claimed.id(),
            Refusal.beginning(Refusal.content(redaction.of(outcome))));
      }
    } catch (Throwable e) {
      // There is no memory, or a class cannot be loaded: a slot must not leak even then.
      endUntold();
      log.error("what ticket {} ended by could not be told", claimed.id(), e);
    }
  }

  @Override
  public Optional<String> traceparent() {
    return trace.traceparent();
  }

  /** Ends the attempt; returns false if it has ended already. */
  private boolean end(Finish outcome) {
    synchronized (this) {
      if (finish != null) {
        return false;
      }
      finish = toStore(outcome);
      endedNanos = System.nanoTime();
    }
    try {
      endTrace();
    } finally {
      whenEnded.accept(this);
    }
    return true;
  }

  /** Begins the trace. Tracing that throws harms no attempt. */
  private void beginTrace() {
    try {
      trace = claim.begin(claimed);
    } catch (Throwable e) {
      ForeignFailure.warn(
          log, "the beginning of ticket %s could not be traced".formatted(claimed.id()), e);
    }
  }

  private void endTrace() {
    try {
      trace.end(finish());
    } catch (Throwable e) {
      ForeignFailure.warn(
          log, "the end of ticket %s could not be traced".formatted(claimed.id()), e);
    }
  }

  private void endUntold() {
    synchronized (this) {
      if (finish != null) {
        return;
      }
      finish = untold;
      endedNanos = System.nanoTime();
    }
    whenEnded.accept(this);
  }

  /**
   * Returns the end that is stored. A run that was stopped is given back and uses up no retry,
   * unless it succeeded in spite of the interrupt: paid work is not done again. A question to a
   * person must not get lost either. If the lease is lost by then, or a person has the ticket, the
   * queue refuses the end.
   */
  private Finish toStore(Finish outcome) {
    boolean kept =
        switch (outcome) {
          case Finish.Succeeded succeeded -> true;
          case Finish.Failed failed -> failed.hold() != null;
          case Finish.Parked parked -> true;
          case Finish.Advanced advanced -> true;
          case Finish.Deferred deferred -> false;
          case Finish.GivenBack givenBack -> false;
        };
    return stopCause == null || kept ? redaction.of(outcome) : givenBack();
  }

  private Finish givenBack() {
    return new Finish.GivenBack(claimed.id(), leaseNo());
  }

  /**
   * The attempt boundary: whatever the handler throws, Errors included, is a failure of this
   * attempt and of nothing else. If our own database was away, it is nobody's failure.
   */
  private Finish outcome() {
    try {
      awaitOlder();
      if (isCancelled()) {
        throw new InterruptedException("stopped before it began");
      }
      return switch (handler.handle(this)) {
        case HandlerResult.Succeeded done ->
            new Finish.Succeeded(
                claimed.id(), leaseNo(), done.result(), done.review(), done.enqueues());
        case HandlerResult.Advanced advanced ->
            new Finish.Advanced(claimed.id(), leaseNo(), advanced.plan());
        case HandlerResult.Failed failed -> failed(failed.error());
        case HandlerResult.Held held ->
            failed(
                held.error(),
                new RetryDecision.Hold(HoldCause.HANDLER, held.reason()),
                held.waitsFor());
        case HandlerResult.Deferred deferred ->
            new Finish.Deferred(claimed.id(), leaseNo(), deferred.delay(), deferred.waitsFor());
        case HandlerResult.Parked parked ->
            new Finish.Parked(
                claimed.id(), leaseNo(), parked.reason(), parked.actions(), parked.details());
        case null ->
            failed(
                ErrorReport.ofText(
                    "NullPointerException: the handler of kind "
                        + claimed.ticket().kind()
                        + " returned null"));
      };
    } catch (InterruptedException e) {
      return isDraining() ? givenBack() : thrown(e);
    } catch (DatabaseUnavailableException e) {
      return withoutDatabase(e);
    } catch (WorkerUnfitException e) {
      unfit.accept(e);
      return givenBack();
    } catch (Throwable e) {
      return thrown(e);
    }
  }

  /**
   * Waits for the older attempt even if this one is stopped: an attempt that comes after this one
   * waits only for this one.
   */
  private void awaitOlder() {
    boolean interrupted = false;
    while (older != null) {
      try {
        older.thread.join();
        older = null;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Finish withoutDatabase(DatabaseUnavailableException e) {
    if (!DatabaseUnavailableException.isAway(e) || !outages.test(claimed.id())) {
      return thrown(e);
    }
    log.warn("ticket {} is given back: {}", claimed.id(), e.getMessage());
    return givenBack();
  }

  private Finish thrown(Throwable e) {
    try {
      return failed(ErrorReport.ofThrowable(e));
    } catch (Throwable second) {
      // An exception whose own methods throw.
      String name = e.getClass().getName();
      String message = name + ", which could not be classified: " + second.getClass().getName();
      return new Finish.Failed(
          claimed.id(),
          leaseNo(),
          new Failure(message, Category.UNKNOWN, Classifier.NONE, "", null, null, name));
    }
  }

  private Finish failed(ErrorReport error) {
    return failed(error, null, null);
  }

  private Finish failed(
      ErrorReport error, RetryDecision.@Nullable Hold hold, @Nullable TicketWait waitsFor) {
    // A title and a piece of evidence are cut: the rest of a secret would not be found in them.
    Failure failure = classifier.classify(redaction.of(error));
    return new Finish.Failed(claimed.id(), leaseNo(), failure, hold, waitsFor, attempt() == 1);
  }
}
