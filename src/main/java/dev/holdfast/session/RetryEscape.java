package dev.holdfast.session;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Binds a key to the abort of a retry for as long as a chain of retries lasts (D31); what the key
 * did before comes back then, however many retries there were.
 */
public final class RetryEscape implements SessionListener {
  private final AtomicReference<Runnable> key;
  private final Runnable abortRetry;
  private @Nullable Runnable original;

  /**
   * @param key what it does now; this listener changes it
   */
  public RetryEscape(AtomicReference<Runnable> key, Runnable abortRetry) {
    this.key = key;
    this.abortRetry = abortRetry;
  }

  @Override
  public synchronized void on(SessionEvent event) {
    if (event instanceof SessionEvent.AutoRetryStart && original == null) {
      original = key.getAndSet(abortRetry);
    } else if (event instanceof SessionEvent.AutoRetryEnd && original != null) {
      key.set(original);
      original = null;
    }
  }
}
