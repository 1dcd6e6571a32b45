package dev.holdfast.postgres;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does a pool's regular work, as HikariCP's own executor does, and continues after an error. If no
 * thread can be started, what HikariCP has put in its queue for one stays there, and calls that
 * wait for a connection do not start another. The pool would be useless for ever if it were not
 * filled up here as soon as there is room.
 */
final class PoolKeeper extends ScheduledThreadPoolExecutor {
  private static final Logger log = LoggerFactory.getLogger(PoolKeeper.class);

  private final String pool;

  PoolKeeper(String pool) {
    super(1, Thread.ofPlatform().daemon().name(pool + ":keeper").factory());
    this.pool = pool;
    setRemoveOnCancelPolicy(true);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    return super.scheduleWithFixedDelay(() -> runOrSay(task), initialDelay, delay, unit);
  }

  private void runOrSay(Runnable task) {
    try {
      task.run();
    } catch (OutOfMemoryError e) { // of threads
      log.warn("the pool {} cannot be looked after now: {}", pool, e.getMessage());
    }
  }
}
