package dev.holdfast.llm.account;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a book up to date: at each notification, and at least once an interval, which bounds how
 * old the book can be while notifications are lost. Thread-safe.
 */
public final class AccountWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AccountWatch.class);
  private static final int ROUNDS_BETWEEN_UPKEEP = 5;
  private static final Duration LAST_ROUND = Duration.ofSeconds(2);

  private final AccountCache book;
  private final Duration interval;
  private final OutageSettings outages;
  private final Semaphore news = new Semaphore(0);
  private final Thread thread;
  private volatile boolean open = true;

  private AccountWatch(AccountCache book, Duration interval, OutageSettings outages) {
    this.book = book;
    this.interval = interval;
    this.outages = outages;
    this.thread = Thread.ofVirtual().name("accounts").unstarted(this::run);
  }

  /** Reads the book once before it returns, if the database is there. */
  public static AccountWatch start(AccountCache book, Duration interval, OutageSettings outages) {
    book.refresh();
    AccountWatch watch = new AccountWatch(book, interval, outages);
    watch.thread.start();
    return watch;
  }

  /** Wakes the watch because something has changed; returns at once. */
  public void wake() {
    news.release();
  }

  private void run() {
    int rounds = 0;
    try {
      while (open) {
        if (news.tryAcquire(interval.toMillis(), TimeUnit.MILLISECONDS)) {
          news.drainPermits();
        }
        if (open && book.refresh() && ++rounds % ROUNDS_BETWEEN_UPKEEP == 0) {
          upkeep();
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("the watch of the accounts ends");
    }
  }

  private void upkeep() {
    try {
      book.store()
          .upkeep(outages)
          .forEach(each -> LOG.error("{}: what needs it waits; see holdfast providers", each));
    } catch (RuntimeException e) {
      LOG.debug("the upkeep of the accounts waits: {}", e.toString());
    }
  }

  @Override
  public void close() {
    open = false;
    news.release();
    try {
      if (!thread.join(LAST_ROUND)) {
        thread.interrupt();
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}
