package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.DriverConnection;
import dev.holdfast.postgres.DriverConnection.OtherDriverException;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.SqlErrors;
import dev.holdfast.queue.TicketClaims;
import dev.holdfast.queue.WakeUps;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on one connection of its own. After each connect it sends itself a notification through
 * the data source; only if that comes back is it proven that notifications arrive (they do not
 * behind a transaction pooler). A blocking read does not notice a dead network, so the wait is
 * finite and each round asks the server something.
 */
public final class PostgresWakeUps implements WakeUps {
  private static final Logger log = LoggerFactory.getLogger(PostgresWakeUps.class);
  private static final int WAIT_MILLIS = 500;
  private static final int ANSWER_MILLIS = 60_000;
  private static final int QUIET_WAITS_BEFORE_ASKING = 20;
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
  private static final Duration LAST_WAIT = Duration.ofSeconds(1);

  /** A notification, whoever sent it. */
  private record Heard(String channel, String payload) {}

  /**
   * The settings that a connection had before. Many pools leave changed ones to the next borrower.
   */
  private record AsLent(int timeoutMillis, int isolation, boolean autoCommit) {
    static AsLent of(Connection connection) throws SQLException {
      boolean autoCommit = connection.getAutoCommit();
      // This comes first: with autocommit off the question for the isolation may begin a
      // transaction.
      connection.setAutoCommit(true);
      return new AsLent(
          connection.getNetworkTimeout(), connection.getTransactionIsolation(), autoCommit);
    }

    /**
     * Puts the settings back and stops listening: nobody would take the notifications from it any
     * more.
     */
    void putBack(Connection connection) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute("UNLISTEN *");
      }
      connection.setTransactionIsolation(isolation);
      connection.setNetworkTimeout(Runnable::run, timeoutMillis);
      connection.setAutoCommit(autoCommit);
    }
  }

  private final DataSource listening;
  private final DataSource notifying;
  private final String schema;
  private final ClaimCall claimCall;
  private final Runnable whenProvidersChange;
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile boolean proven;
  private volatile @Nullable Thread thread;

  /**
   * @param listening gives direct connections to the server, one of which is kept
   * @param notifying the data source that everybody else uses
   * @param whenProvidersChange called on the listening thread when the state of some provider's
   *     account or budget changes; must not block
   */
  public PostgresWakeUps(
      DataSource listening, DataSource notifying, String schema, Runnable whenProvidersChange) {
    this.listening = listening;
    this.notifying = notifying;
    Sql sql = new Sql(schema);
    this.schema = sql.schema();
    this.claimCall = new ClaimCall(sql);
    this.whenProvidersChange = whenProvidersChange;
  }

  @Override
  public void start(Listener listener) {
    thread =
        Thread.ofPlatform().name("holdfast-listen").daemon().start(() -> listenForEver(listener));
  }

  @Override
  public boolean proven() {
    return proven;
  }

  private void listenForEver(Listener listener) {
    int failures = 0;
    boolean warned = false;
    while (isOpen()) {
      try (Connection connection = listening.getConnection()) {
        AsLent lent = AsLent.of(connection);
        try {
          connection.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
          connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
          PGConnection postgres = DriverConnection.of(connection);
          subscribe(connection);
          failures = 0;
          // A notification that was sent while nobody listened is not sent again.
          TicketClaims here = claimsOn(connection);
          listener.ready("", here);
          listener.revoked();
          tellOfProviders();
          read(connection, postgres, listener, here);
        } finally {
          lent.putBack(connection);
        }
      } catch (OtherDriverException e) {
        failures++;
        if (!warned) {
          warned = true;
          log.warn(
              "no notification is heard, new tickets are found by polling: {}", e.getMessage());
        }
      } catch (Throwable e) {
        failures++;
        log.debug("listening was interrupted, will be resumed: {}", e.toString());
      } finally {
        proven = false;
      }
      pause(failures);
    }
  }

  private void subscribe(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("LISTEN " + schema + "_ready");
      statement.execute("LISTEN " + schema + "_revoked");
      statement.execute("LISTEN " + schema + "_providers");
      statement.execute("LISTEN " + schema + "_probe");
    }
    notifyMyself();
  }

  private void notifyMyself() throws SQLException {
    try (Connection other = notifying.getConnection();
        Statement statement = other.createStatement()) {
      statement.execute("NOTIFY " + schema + "_probe");
      if (!other.getAutoCommit()) {
        other.commit();
      }
    }
  }

  private TicketClaims claimsOn(Connection connection) {
    return request -> {
      try {
        return claimCall.run(connection, request);
      } catch (SQLException e) {
        throw SqlErrors.translate(e);
      }
    };
  }

  private void read(
      Connection connection, PGConnection postgres, Listener listener, TicketClaims here)
      throws SQLException {
    int quietWaits = 0;
    while (isOpen()) {
      PGNotification[] notifications = postgres.getNotifications(WAIT_MILLIS);
      quietWaits = notifications.length == 0 ? quietWaits + 1 : 0;
      if (quietWaits == QUIET_WAITS_BEFORE_ASKING) {
        quietWaits = 0;
        ask(connection);
      }
      // One of several equal notifications, as of many tickets in one queue, is enough.
      Set<Heard> heard = new LinkedHashSet<>();
      for (PGNotification notification : notifications) {
        heard.add(new Heard(notification.getName(), notification.getParameter()));
      }
      heard.forEach(each -> dispatch(each, listener, here));
    }
  }

  /**
   * Asks the server something; fails if the connection is dead, after {@link #ANSWER_MILLIS} at the
   * latest.
   */
  private static void ask(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1");
    }
  }

  private void dispatch(Heard heard, Listener listener, TicketClaims here) {
    String channel = heard.channel().substring(schema.length() + 1);
    switch (channel) {
      case "ready" -> listener.ready(heard.payload(), here);
      case "revoked" -> listener.revoked();
      case "providers" -> tellOfProviders();
      case "probe" -> proven = true;
      default -> log.debug("a notification on {} is not for us", heard.channel());
    }
  }

  /**
   * Reports a change of providers. An exception does not end the listening: it would come again on
   * the next connection.
   */
  private void tellOfProviders() {
    try {
      whenProvidersChange.run();
    } catch (Throwable e) {
      log.warn("what a change of providers calls failed", e);
    }
  }

  private void pause(int failures) {
    long millis = Math.min(LONGEST_PAUSE.toMillis(), 100L << Math.min(failures, 10));
    try {
      closing.await(failures == 0 ? 0 : millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      log.debug("the listener was interrupted");
    }
  }

  private boolean isOpen() {
    return closing.getCount() > 0;
  }

  /**
   * Ends the listening. It waits for a second at most, because the connection's owner may close it
   * next.
   */
  @Override
  public void close() {
    closing.countDown();
    Thread listens = thread;
    if (listens == null) {
      return;
    }
    if (proven) {
      wakeMyself();
    }
    try {
      listens.join(LAST_WAIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Wakes the listening thread. A foreign data source may throw anything. */
  private void wakeMyself() {
    try {
      notifyMyself();
    } catch (SQLException | RuntimeException e) {
      log.debug("the listener ends by itself: {}", e.toString());
    }
  }
}
