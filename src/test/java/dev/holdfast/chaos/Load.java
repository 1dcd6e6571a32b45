package dev.holdfast.chaos;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues tickets at a steady rate, whatever happens. A call whose answer was lost is made again
 * under the same key, so that every acknowledged ticket is known by its id, and kept in this
 * process: what the database forgets is missed.
 */
final class Load implements AutoCloseable {
  private static final int PERIOD_MILLIS = 100;

  private final DataSource dataSource;
  private final Random random;
  private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread = Thread.ofPlatform().name("chaos-load").unstarted(this::run);
  private volatile double perSecond;
  private @Nullable Connection connection;

  Load(DataSource dataSource, Random random, double perSecond) {
    this.dataSource = dataSource;
    this.random = random;
    this.perSecond = perSecond;
  }

  void start() {
    thread.start();
  }

  void rate(double newPerSecond) {
    perSecond = newPerSecond;
  }

  double rate() {
    return perSecond;
  }

  /** The id of each ticket that was acknowledged, by its key. */
  Map<String, Long> acknowledged() {
    return acknowledged;
  }

  /** Adds tickets by hand; returns when the database has them. */
  void add(String design, String key) throws InterruptedException {
    enqueue(design, key);
  }

  private void run() {
    long number = 0;
    double due = 0;
    try {
      while (!stopped.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
        for (due += perSecond * PERIOD_MILLIS / 1000; due >= 1; due--) {
          enqueue(Jobs.pick(random), "load-" + number++);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void enqueue(String design, String key) throws InterruptedException {
    while (!acknowledged.containsKey(key)) {
      try {
        acknowledged.put(key, enqueueOnce(design, key));
      } catch (SQLException e) {
        disconnect();
        if (stopped.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
          return;
        }
      }
    }
  }

  private long enqueueOnce(String design, String key) throws SQLException {
    Connection current = connection;
    if (current == null) {
      current = dataSource.getConnection();
      connection = current;
    }
    try (PreparedStatement statement =
        current.prepareStatement("SELECT holdfast.enqueue_ticket(design => ?, unique_key => ?)")) {
      statement.setString(1, design);
      statement.setString(2, key);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    }
  }

  private void disconnect() {
    try (Connection old = connection) {
      connection = null;
    } catch (SQLException e) {
      // It was broken already.
    }
  }

  void stop() throws InterruptedException {
    stopped.countDown();
    thread.join();
    disconnect();
  }

  @Override
  public void close() throws InterruptedException {
    stop();
  }
}
