package dev.holdfast.handler.agent;

import dev.holdfast.retry.Sleeper;
import dev.holdfast.session.Session;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionListener;
import dev.holdfast.session.retry.RetryAborts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of this worker that wait, in an auto-retry or for a cool-down. While there are any,
 * it asks twice a second whether somebody has ordered one of the waits to end (D27). Before a
 * session decides on a retry, it asks whether somebody has switched its retries off or on (D33).
 * Thread-safe.
 */
final class RetryWaits {
  private static final Logger log = LoggerFactory.getLogger(RetryWaits.class);
  private static final Duration ASK_EVERY = Duration.ofMillis(500);

  private final RetryAborts aborts;
  private final Sleeper sleeper;
  private final Map<Long, Waiting> waiting = new HashMap<>();
  private boolean asking;

  /**
   * @param retries whether it waits in an auto-retry
   */
  private record Waiting(Session session, boolean retries) {}

  RetryWaits(RetryAborts aborts, Sleeper sleeper) {
    this.aborts = aborts;
    this.sleeper = sleeper;
  }

  /** Hears of one ticket's session when it waits. */
  final class Watch implements SessionListener, AutoCloseable {
    private final long ticketId;
    private final boolean usually;
    private volatile @Nullable Session session;

    private Watch(long ticketId, boolean usually) {
      this.ticketId = ticketId;
      this.usually = usually;
    }

    /** Sets the session before it runs. */
    void opened(Session opened) {
      session = opened;
    }

    @Override
    public void on(SessionEvent event) {
      Session watched = session;
      switch (event) {
        case SessionEvent.AttemptFinished failed when watched != null && failed.error() != null ->
            watched.setAutoRetryEnabled(isOn(ticketId, usually));
        case SessionEvent.WaitStarted wait when watched != null ->
            add(ticketId, new Waiting(watched, wait.ofRetry()));
        case SessionEvent.WaitEnded wait -> remove(ticketId);
        default -> {
          // Nothing else begins or ends a wait.
        }
      }
    }

    @Override
    public void close() {
      remove(ticketId);
    }
  }

  /**
   * @param usually whether the ticket's sessions retry where nobody has switched it
   */
  Watch watch(long ticketId, boolean usually) {
    return new Watch(ticketId, usually);
  }

  /** True if the ticket's retries are on. While the database is away, the configuration counts. */
  private boolean isOn(long ticketId, boolean usually) {
    try {
      return aborts.autoRetry(ticketId).orElse(usually);
    } catch (RuntimeException e) {
      log.warn("whether #{} retries cannot be asked for now: {}", ticketId, e.toString());
      return usually;
    }
  }

  private synchronized void add(long ticketId, Waiting session) {
    waiting.put(ticketId, session);
    if (!asking) {
      asking = true;
      Thread.ofVirtual().name("retry-aborts").start(this::ask);
    }
  }

  private synchronized void remove(long ticketId) {
    waiting.remove(ticketId);
  }

  /** Returns the waiting sessions. Once there are none, the asking ends. */
  private synchronized Map<Long, Waiting> toAskFor() {
    asking = !waiting.isEmpty();
    return Map.copyOf(waiting);
  }

  private void ask() {
    try {
      for (Map<Long, Waiting> now = toAskFor(); !now.isEmpty(); now = toAskFor()) {
        toEnd(now).forEach(this::abort);
        sleeper.sleep(ASK_EVERY);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Returns the tickets whose wait is to end. An outage of the database must not end the asking.
   */
  private Set<Long> toEnd(Map<Long, Waiting> now) {
    List<Long> retrying = new ArrayList<>();
    now.forEach(
        (id, each) -> {
          if (each.retries()) {
            retrying.add(id);
          }
        });
    try {
      Set<Long> ended = new HashSet<>(aborts.switchedOff(retrying));
      // This must be the last call that can fail, because each order is given out only once.
      ended.addAll(aborts.take(now.keySet()));
      return ended;
    } catch (RuntimeException e) {
      log.debug("orders to end retries cannot be asked for now: {}", e.toString());
      return Set.of();
    }
  }

  private void abort(long ticketId) {
    Waiting found;
    synchronized (this) {
      found = waiting.get(ticketId);
    }
    if (found != null) {
      found.session().abortRetry();
    }
  }
}
