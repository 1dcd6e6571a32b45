package dev.holdfast.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source whose every connection is one and the same, in the middle of its transaction: what
 * is done through it is done together. Only the owner of the connection commits and closes it.
 */
public final class OneTransaction {
  private static final Set<String> OWNERS = Set.of("close", "setAutoCommit");

  private final Connection connection;
  private final DataSource source;
  private boolean open;
  private boolean undone;

  /**
   * @param connection without auto-commit
   */
  public OneTransaction(Connection connection, DataSource source) {
    this.connection = connection;
    this.source = source;
  }

  public DataSource dataSource() {
    Connection lent = proxy(Connection.class, this::call);
    return proxy(
        DataSource.class,
        (method, arguments) -> {
          if (method.getName().equals("getConnection")) {
            open = true;
            return lent;
          }
          return invoke(source, method, arguments);
        });
  }

  /** Many roll back after each commit, to undo what was not committed: there is nothing then. */
  private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
    if (method.getName().equals("commit")) {
      open = false;
      return null;
    }
    if (method.getName().equals("rollback")) {
      if (!open) {
        return null;
      }
      undone = true;
    }
    return OWNERS.contains(method.getName()) ? null : invoke(connection, method, arguments);
  }

  /** True if somebody rolled back: the work before is gone, too. */
  public boolean isUndone() {
    return undone;
  }

  private interface Handler {
    @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Handler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            OneTransaction.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> handler.call(method, arguments)));
  }

  private static Object invoke(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
