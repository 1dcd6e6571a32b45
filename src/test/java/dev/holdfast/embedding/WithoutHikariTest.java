package dev.holdfast.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
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
  /** Loads Holdfast anew, where there is no HikariCP. */
  private static final class WithoutHikari extends ClassLoader {
    private WithoutHikari() {
      super(WithoutHikariTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("com.zaxxer.hikari.")) {
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith("dev.holdfast.")) {
        return super.loadClass(name, resolve);
      }
      Class<?> known = findLoadedClass(name);
      return known == null ? anew(name) : known;
    }

    private Class<?> anew(String name) throws ClassNotFoundException {
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

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
    Class<?> holdfast = new WithoutHikari().loadClass("dev.holdfast.Holdfast");
    Object reader = holdfast.getMethod("reader", DataSource.class).invoke(null, pool);
    assertThatThrownBy(() -> reader.getClass().getMethod("find", long.class).invoke(reader, 1L))
        .cause()
        .satisfies(
            e -> assertThat(e.getClass().getSimpleName()).isEqualTo("QueueUnavailableException"))
        .hasMessageContaining("the server was restarted");
  }
}
