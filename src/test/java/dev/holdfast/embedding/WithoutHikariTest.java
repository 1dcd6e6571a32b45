package dev.holdfast.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WithoutHikariTest {
  private static <T> T proxy(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  private static @Nullable Object dead(Object self, Method method, Object[] arguments)
      throws SQLException {
    return switch (method.getName()) {
      case "close" -> null;
      case "isClosed" -> true;
      case "hashCode" -> 1;
      case "equals" -> true;
      default -> throw new SQLException("the server was restarted", "08006");
    };
  }

  @Test
  @DisplayName(
      "without HikariCP a connection that died in the program's pool is an outage, not a missing"
          + " class")
  void outage() throws Exception {
    Connection dead = proxy(Connection.class, WithoutHikariTest::dead);
    DataSource pool = proxy(DataSource.class, (self, method, arguments) -> dead);
    OtherClassPath without =
        new OtherClassPath(
            name -> name.startsWith("com.zaxxer.hikari."),
            name -> name.startsWith("dev.holdfast."));
    Class<?> holdfast = without.loadClass("dev.holdfast.Holdfast");
    Object reader = holdfast.getMethod("reader", DataSource.class).invoke(null, pool);
    assertThatThrownBy(() -> reader.getClass().getMethod("find", long.class).invoke(reader, 1L))
        .cause()
        .satisfies(
            e -> assertThat(e.getClass().getSimpleName()).isEqualTo("DatabaseUnavailableException"))
        .hasMessageContaining("the server was restarted");
  }
}
