package dev.holdfast.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;

/** Gives every statement of a data source the same timeout. */
final class StatementTimeout {
  private StatementTimeout() {}

  /**
   * @param timeout at least a second; parts of a second are left out
   */
  static DataSource on(DataSource source, Duration timeout) {
    int seconds = Math.toIntExact(Math.max(1, timeout.toSeconds()));
    return proxy(
        DataSource.class,
        (self, method, arguments) -> {
          Object answer = call(source, method, arguments);
          return answer instanceof Connection connection ? timed(connection, seconds) : answer;
        });
  }

  private static Connection timed(Connection connection, int seconds) {
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          Object answer = call(connection, method, arguments);
          if (answer instanceof Statement statement) {
            statement.setQueryTimeout(seconds);
          }
          return answer;
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            StatementTimeout.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
