package dev.holdfast.session.retry;

import dev.holdfast.retry.Sleeper;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEvents;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets other threads end a wait of a session's thread, and nothing else of it. An interrupt of that
 * thread from outside is noted, and cancels the session. Thread-safe.
 */
public final class StopSignal {
  /** The stop that is asked for; it is never taken back. */
  public enum Request {
    NONE,
    /** Ends waits; what runs is let finish, and nothing begins after it. */
    STOP,
    /** The session's thread was interrupted: calls and tools end as well. */
    CANCEL
  }

  /** Work that heeds an interrupt. */
  @FunctionalInterface
  public interface Blocking<T> {
    T run() throws InterruptedException;
  }

  private enum Section {
    NO_WAIT,
    WAIT,
    RETRY_WAIT
  }

  private final Sleeper sleeper;
  private final SessionEvents events;
  private Request requested = Request.NONE;
  private Section section = Section.NO_WAIT;
  private @Nullable Thread blocked;
  private boolean waitAborted;
  private boolean interrupted;
  private boolean fromOutside;

  public StopSignal(Sleeper sleeper, SessionEvents events) {
    this.sleeper = sleeper;
    this.events = events;
  }

  public synchronized Request requested() {
    return requested;
  }

  /** True if other code, which does not know this signal, has interrupted the session's thread. */
  public synchronized boolean interruptedFromOutside() {
    return fromOutside;
  }

  /** Asks for {@link Request#STOP}. */
  public synchronized void stop() {
    if (requested == Request.NONE) {
      requested = Request.STOP;
    }
    if (section != Section.NO_WAIT) {
      wake();
    }
  }

  /** Ends the wait that has begun, if there is one now. */
  synchronized void abortWait() {
    if (section != Section.NO_WAIT) {
      waitAborted = true;
      wake();
    }
  }

  /**
   * Runs what an interrupt ends; nothing where anything is asked for already.
   *
   * @throws InterruptedException when it was not run or was interrupted, or the thread was
   *     interrupted from outside
   */
  public <T> T call(Blocking<T> work) throws InterruptedException {
    if (requested() != Request.NONE) {
      throw new InterruptedException("stopped before it began");
    }
    try {
      return work.run();
    } catch (InterruptedException e) {
      noteInterrupt();
      throw e;
    }
  }

  /**
   * Waits; a session has no other way (B36-B38). Anything that was asked for beforehand ends the
   * wait at once.
   */
  public SleepEnd sleepWithAbort(Duration time) {
    return sleep(time, Section.WAIT, () -> false);
  }

  /** The wait of the auto-retry, which ends for {@code aborted} too (D27, D29). */
  SleepEnd retrySleep(Duration time, BooleanSupplier aborted) {
    return sleep(time, Section.RETRY_WAIT, aborted);
  }

  private SleepEnd sleep(Duration time, Section kind, BooleanSupplier aborted) {
    begin(kind);
    // A listener that hears of the wait may end it at once.
    events.emit(new SessionEvent.WaitStarted(kind == Section.RETRY_WAIT));
    try {
      if (enter(aborted)) {
        sleeper.sleep(time);
      }
    } catch (InterruptedException e) {
      noteInterrupt();
    } finally {
      leave();
      events.emit(new SessionEvent.WaitEnded());
    }
    return end(aborted);
  }

  private synchronized SleepEnd end(BooleanSupplier aborted) {
    return switch (requested) {
      case STOP -> SleepEnd.ABORTED_STOP;
      case CANCEL -> SleepEnd.ABORTED_CANCEL;
      case NONE ->
          waitAborted || aborted.getAsBoolean() ? SleepEnd.ABORTED_RETRY : SleepEnd.COMPLETED;
    };
  }

  private synchronized void begin(Section kind) {
    section = kind;
    waitAborted = false;
  }

  private synchronized boolean enter(BooleanSupplier aborted) {
    if (requested != Request.NONE || waitAborted || aborted.getAsBoolean()) {
      return false;
    }
    blocked = Thread.currentThread();
    return true;
  }

  private synchronized void leave() {
    section = Section.NO_WAIT;
    blocked = null;
    if (interrupted) {
      Thread.interrupted();
      interrupted = false;
    }
  }

  /**
   * Cancels the session at an interrupt that did not come from here. In a stopped session such an
   * interrupt is what ends the waits of lower layers.
   */
  private synchronized void noteInterrupt() {
    if (!interrupted && requested != Request.STOP) {
      fromOutside = true;
      requested = Request.CANCEL;
    }
  }

  private void wake() {
    if (blocked != null) {
      interrupted = true;
      blocked.interrupt();
    }
  }
}
