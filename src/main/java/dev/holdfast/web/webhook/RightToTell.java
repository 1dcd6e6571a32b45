package dev.holdfast.web.webhook;

import dev.holdfast.queue.PeopleNotices;
import dev.holdfast.ticket.HoldfastException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right of one of all processes on a database to tell a receiver. It lapses by itself, so that
 * another process continues where one was killed.
 */
final class RightToTell {
  private static final Logger log = LoggerFactory.getLogger(RightToTell.class);

  private final PeopleNotices notices;
  private final String receiver;
  private final Duration poll;
  private final Duration time;
  private final String process = UUID.randomUUID().toString();

  /**
   * Makes the right. It lasts longer than one delivery usually takes, with its words and without.
   */
  RightToTell(PeopleNotices notices, NoticeReceiver receiver, Duration poll) {
    this.notices = notices;
    this.receiver = receiver.name();
    this.poll = poll;
    this.time = receiver.timeout().multipliedBy(2).plusSeconds(20).plus(poll.multipliedBy(2));
  }

  /**
   * Takes or renews the right. Returns the id up to which everything is told; null where another
   * process has the right.
   */
  @Nullable Long take() {
    return notices.lead(receiver, process, time);
  }

  /** Notes that everything is told up to this id, if this process still has the right. */
  void told(long to) {
    notices.told(receiver, process, to);
  }

  /**
   * Gives the right up: another process tells from now on, and does not wait until the right
   * lapses.
   */
  void leave() {
    try {
      notices.leave(receiver, process);
    } catch (HoldfastException e) {
      log.debug("the right to tell is left to lapse: {}", e.getMessage());
    }
  }

  /** Work that takes time. */
  interface Work<T> {
    T run() throws InterruptedException;
  }

  /**
   * Renews the right while something goes on. A mail server has its timeout for each of many steps,
   * and a wait grows. If a process lost the right, another one would follow and tell the same, and
   * so on for ever.
   */
  <T> T keptDuring(Work<T> work) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    Thread.ofVirtual().name("webhook-lead").start(() -> renewUntil(done));
    try {
      return work.run();
    } finally {
      // This waits for a renewal that is under way; after it there is none.
      synchronized (done) {
        done.countDown();
      }
    }
  }

  private void renewUntil(CountDownLatch done) {
    try {
      while (!done.await(poll.toMillis(), TimeUnit.MILLISECONDS)) {
        synchronized (done) {
          if (done.getCount() > 0) {
            renew();
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void renew() {
    try {
      take();
    } catch (HoldfastException e) {
      log.debug("the right to tell is not renewed: {}", e.getMessage());
    }
  }
}
