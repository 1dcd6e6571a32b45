package dev.holdfast.session.retry;

import dev.holdfast.llm.RetryContext;
import dev.holdfast.retry.Backoff;
import dev.holdfast.retry.BackoffType;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEvents;
import dev.holdfast.session.report.Exhausted;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Runs a turn again that ended in an error (D1-D30). Its waits block the session's thread; the
 * other methods may be called from any thread.
 */
public final class AutoRetry {
  public static final String CANCELLED = "Retry cancelled";
  public static final String STOPPING = "the worker is being stopped";

  private final RetryContext context;
  private final StopSignal signal;
  private final SessionEvents events;
  private final RetryChain chain = new RetryChain();
  private volatile AutoRetrySettings settings;
  private @Nullable Exhausted exhausted;

  public AutoRetry(
      AutoRetrySettings settings, RetryContext context, StopSignal signal, SessionEvents events) {
    this.settings = settings;
    this.context = context;
    this.signal = signal;
    this.events = events;
  }

  /**
   * Looks at the end of a turn, before anybody compacts (D1).
   *
   * @return whether the same turn is to be run again; the wait is over then
   */
  public boolean after(TurnEnd end) {
    if (!(end instanceof TurnEnd.Errored errored) || !isRetryable(errored)) {
      close(end);
      return false;
    }
    String message = errored.error().message();
    int attempt = chain.next();
    Duration delay = attempt > settings.maxRetries() ? Duration.ZERO : delay(attempt);
    if (attempt > settings.maxRetries() || delay.compareTo(context.timeLeft()) >= 0) {
      exhausted = new Exhausted("session", attempt);
      end(false, attempt - 1, message);
      return false;
    }
    events.emit(new SessionEvent.RetryAmplified("session"));
    events.emit(start(attempt, delay, message));
    switch (signal.retrySleep(delay, chain::isAborted)) {
      case COMPLETED -> {
        chain.waited();
        return true;
      }
      case ABORTED_STOP -> defer(attempt, null, STOPPING);
      case ABORTED_CANCEL, ABORTED_RETRY -> end(false, attempt, CANCELLED);
    }
    return false;
  }

  private SessionEvent start(int attempt, Duration delay, String message) {
    return new SessionEvent.AutoRetryStart(
        attempt, settings.maxRetries(), delay.toMillis(), message);
  }

  private boolean isRetryable(TurnEnd.Errored errored) {
    AutoRetrySettings now = settings;
    return now.enabled()
        && !now.skipIfExhaustedBelow()
        && signal.requested() != StopSignal.Request.CANCEL
        && RetryableError.isRetryable(errored.error(), now.wholeNumbers());
  }

  /**
   * Returns the wait (D13, D15). The time that the provider asks to wait belongs to the cool-down,
   * not to the retry.
   */
  private Duration delay(int attempt) {
    return new Backoff(BackoffType.EXPONENTIAL, settings.baseDelay())
        .delay(attempt, Duration.ofMillis(Long.MAX_VALUE));
  }

  /** Goes on with a chain in which an earlier process has already made {@code retries} retries. */
  public void resume(int retries) {
    chain.resume(retries);
  }

  /** The first good answer ends the chain's attempts; its turn goes on (D19, D23). */
  public void answered() {
    int attempt = chain.attempt();
    if (attempt > 0) {
      chain.reset();
      events.emit(new SessionEvent.AutoRetryEnd(true, attempt, null));
    }
  }

  /** Ends the chain at any other end of a turn (D21, D22); harmless where there is none. */
  public void close(TurnEnd end) {
    switch (end) {
      case TurnEnd.Errored each -> {
        if (signal.requested() == StopSignal.Request.STOP) {
          defer(chain.attempt(), null, STOPPING);
        } else {
          close(each.error().message());
        }
      }
      case TurnEnd.Fatal each -> close(each.error().message());
      case TurnEnd.Overflow each -> close(each.error().message());
      case TurnEnd.Invalid each -> close(each.error().message());
      case TurnEnd.StoodStill each -> defer(chain.attempt(), each.why().left(), each.why().words());
      case TurnEnd.Aborted each -> {
        if (signal.requested() == StopSignal.Request.STOP) {
          defer(chain.attempt(), null, STOPPING);
        } else {
          close(CANCELLED);
        }
      }
      default -> {
        // An answer has come, and has ended the chain (D19).
      }
    }
  }

  /** The retry is neither given up nor failed: a later session makes it. */
  private void defer(int attempt, @Nullable Duration delay, String why) {
    chain.reset();
    if (attempt > 0) {
      events.emit(new SessionEvent.AutoRetryDeferred(attempt, delay, why));
    }
  }

  public void close(String finalError) {
    int attempt = chain.attempt();
    if (attempt > 0) {
      end(false, attempt, finalError);
    }
  }

  private void end(boolean success, int attempt, String finalError) {
    chain.reset();
    events.emit(new SessionEvent.AutoRetryEnd(success, attempt, finalError));
  }

  /** Ends the wait that the session is in, if there is one (D27-D29). */
  public void abort() {
    chain.abort();
    signal.abortWait();
  }

  public synchronized void setEnabled(boolean enabled) {
    settings = settings.withEnabled(enabled);
  }

  /** The layer that gave up on the error of the last chain; null where none did. */
  public @Nullable Exhausted exhausted() {
    return exhausted;
  }
}
