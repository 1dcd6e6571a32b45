package dev.holdfast.postgres;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A line to the database that breaks: before it is asked, or after it has done what it was told.
 */
public final class LossyDataSource implements DataSource {
  private static final String CONNECTION_FAILURE = "08006";

  private final DataSource database;
  private final AtomicInteger toLose = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();
  private volatile boolean refusing;
  private volatile boolean throwing;
  private volatile boolean withoutThreads;
  private volatile @Nullable Exception refusal;

  public LossyDataSource(DataSource database) {
    this.database = database;
  }

  /** So many commits succeed without anybody hearing of it. */
  public void loseNextAnswers(int count) {
    toLose.set(count);
  }

  public int lost() {
    return lost.get();
  }

  /** No connection is made any more. */
  public void refuse() {
    refusing = true;
  }

  /** No connection is made any more, in the way of one who declares no exception. */
  public void refuseUnchecked() {
    throwing = true;
  }

  /** No connection is made any more, in the way of a pool that can start no thread. */
  public void refuseWithoutThreads() {
    withoutThreads = true;
  }

  /** No connection is made any more, for this reason, which need not be declared: as in Kotlin. */
  public void refuseAs(Exception why) {
    refusal = why;
  }

  public void accept() {
    refusal = null;
    refusing = false;
    throwing = false;
    withoutThreads = false;
  }

  @SuppressWarnings("unchecked") // it is thrown undeclared
  private static <T extends Exception> void raise(Exception why) throws T {
    throw (T) why;
  }

  @Override
  public Connection getConnection() throws SQLException {
    if (refusing) {
      throw new SQLException("connection refused", "08001");
    }
    Exception why = refusal;
    if (why != null) {
      LossyDataSource.<RuntimeException>raise(why);
    }
    if (throwing) {
      throw new IllegalStateException("no token for the database");
    }
    if (withoutThreads) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    Connection connection = database.getConnection();
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              Object answer;
              try {
                answer = method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (method.getName().equals("commit")
                  && toLose.getAndUpdate(n -> n > 0 ? n - 1 : 0) > 0) {
                lost.incrementAndGet();
                connection.close();
                throw new SQLException("the line broke", CONNECTION_FAILURE);
              }
              return answer;
            });
  }

  @Override
  public Connection getConnection(@Nullable String user, @Nullable String password)
      throws SQLException {
    return getConnection();
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("wraps nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
