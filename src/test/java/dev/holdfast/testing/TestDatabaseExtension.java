package dev.holdfast.testing;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Keeps the server in the root context and one database in that of each outermost test class. */
final class TestDatabaseExtension implements BeforeAllCallback, ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(TestDatabaseExtension.class);

  private record Lent(TestServer server, TestDatabase database) implements AutoCloseable {
    static Lent from(TestServer server) {
      try {
        return new Lent(server, server.create());
      } catch (SQLException e) {
        throw new IllegalStateException("cannot create a test database", e);
      }
    }

    @Override
    public void close() throws SQLException {
      server.drop(database);
    }
  }

  /** Also remembers that it failed, which each class would wait for again: a pull takes minutes. */
  private record Started(@Nullable TestServer orNull, @Nullable Exception failure)
      implements AutoCloseable {
    static Started now() {
      try {
        return new Started(TestServer.start(), null);
      } catch (SQLException | RuntimeException e) {
        return new Started(null, e);
      }
    }

    TestServer server() {
      if (orNull == null) {
        throw new IllegalStateException("the test server did not start", failure);
      }
      return orNull;
    }

    @Override
    public void close() throws Exception {
      if (orNull != null) {
        orNull.close();
      }
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    TestServer server =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .computeIfAbsent(Started.class, key -> Started.now(), Started.class)
            .server();
    // A nested class finds its outer one's, for stores look in their parents.
    context.getStore(NAMESPACE).computeIfAbsent(Lent.class, key -> Lent.from(server), Lent.class);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == TestDatabase.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Store store = context.getStore(NAMESPACE);
    Lent lent = store.get(Lent.class, Lent.class);
    if (lent == null) {
      throw new IllegalStateException("no test database outside a class");
    }
    return lent.database();
  }
}
