package dev.holdfast.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.postgres.engine.PostgresWakeUps;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketClaims;
import dev.holdfast.queue.WakeUps;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.HoldfastException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A server's driver beside one in a WAR: the connections are not of the classes that we know. */
@WithDatabase
class OtherDriverIT {
  private static final class Told implements WakeUps.Listener {
    final AtomicInteger times = new AtomicInteger();

    @Override
    public void ready(String queue, TicketClaims here) {
      times.incrementAndGet();
    }

    @Override
    public void revoked() {
      times.incrementAndGet();
    }
  }

  private final DataSource dataSource;

  OtherDriverIT(TestDatabase database) {
    this.dataSource = database.dataSource();
  }

  @Test
  @DisplayName(
      "on connections of another driver a try to listen is no news to the worker, which would be"
          + " five times a second")
  void listens() throws Exception {
    CountDownLatch tries = new CountDownLatch(3);
    Told told = new Told();
    PostgresWakeUps wakeUps = new PostgresWakeUps(other(tries), dataSource, "holdfast", () -> {});
    wakeUps.start(told);
    assertThat(tries.await(60, TimeUnit.SECONDS)).isTrue();
    wakeUps.close();
    assertThat(told.times).hasValue(0);
  }

  @Test
  @DisplayName("many tickets at once are refused on connections of another driver with that reason")
  void copies() {
    assertThatThrownBy(
            () ->
                Holdfast.inbox(other(new CountDownLatch(0)))
                    .enqueueAll(List.of(NewTicket.ofKind("email")).iterator()))
        .isInstanceOf(HoldfastException.class)
        .isNotInstanceOf(DatabaseUnavailableException.class)
        .hasMessageContaining("not of the driver org.postgresql")
        .hasMessageContaining("keep one copy");
  }

  @Test
  @DisplayName(
      "what a program does when providers change may throw: notifications are heard all the same")
  void throwingHint() {
    PostgresWakeUps wakeUps =
        new PostgresWakeUps(
            dataSource,
            dataSource,
            "holdfast",
            () -> {
              throw new IllegalStateException("no such provider");
            });
    wakeUps.start(new Told());
    try {
      await().until(wakeUps::proven);
    } finally {
      wakeUps.close();
    }
  }

  @Test
  @DisplayName(
      "the connection of the caller's own transaction is refused after a write on another driver,"
          + " too, and nothing of it is committed")
  void refusesTransaction() throws SQLException {
    NewTicket ticket = NewTicket.ofKind("half").withUniqueKey("half done");
    try (Connection own = dataSource.getConnection()) {
      own.setAutoCommit(false);
      long id = Holdfast.inbox(dataSource).enqueue(own, ticket);
      Connection lent = otherThan(own);
      DataSource lending = proxy(DataSource.class, (self, method, arguments) -> lent);
      assertThatThrownBy(() -> Holdfast.inbox(lending).enqueue(NewTicket.ofKind("email")))
          .hasMessageContaining("in a transaction");
      assertThat(Holdfast.reader(dataSource).find(id)).isEmpty();
    }
  }

  private DataSource other(CountDownLatch lent) {
    return proxy(
        DataSource.class,
        (self, method, arguments) -> {
          lent.countDown();
          return otherThan(dataSource.getConnection());
        });
  }

  private static Connection otherThan(Connection connection) {
    return proxy(
        Connection.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "isWrapperFor" -> false;
              case "unwrap" -> throw new SQLException("cannot unwrap to " + arguments[0]);
              case "hashCode" -> System.identityHashCode(self);
              case "equals" ->
                  System.identityHashCode(self) == System.identityHashCode(arguments[0]);
              default -> {
                try {
                  yield method.invoke(connection, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              }
            });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }
}
