package dev.holdfast.postgres;

import dev.holdfast.queue.Channel;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Runs work in transactions, and translates what the database throws. Each work has a transaction
 * and a pooled connection of its own, and is done again if it lost a deadlock: nothing of it was
 * stored. {@link #within} makes all work part of one transaction. Thread-safe, but for that.
 */
public final class Transactions {
  private static final int TRIES = 3;

  /** An exception of plain JDBC, to be retried or translated here. */
  public static final class StatementFailed extends RuntimeException {
    private static final long serialVersionUID = 1;

    public StatementFailed(SQLException cause) {
      super(cause);
    }
  }

  /** Work on a connection. */
  public interface Call<T> {
    T on(Connection connection) throws SQLException;
  }

  private final DataSource dataSource;
  private final Jdbi jdbi;
  private final @Nullable Handle open;
  private final @Nullable Channel channel;

  public Transactions(DataSource dataSource) {
    this(dataSource, Jdbi.create(dataSource).registerArgument(new BinaryArrays()), null, null);
  }

  private Transactions(
      DataSource dataSource, Jdbi jdbi, @Nullable Handle open, @Nullable Channel channel) {
    this.dataSource = dataSource;
    this.jdbi = jdbi;
    this.open = open;
    this.channel = channel;
  }

  /** All work takes part in the transaction of this handle, whose owner commits or rolls back. */
  public Transactions within(Handle transaction) {
    return new Transactions(dataSource, jdbi, transaction, channel);
  }

  /** The functions for people store the channel that a person came by; {@link #run} tells it. */
  public Transactions through(Channel newChannel) {
    return new Transactions(dataSource, jdbi, open, newChannel);
  }

  public <T> T run(Function<Handle, T> work) {
    return retried(
        () -> open == null ? jdbi.inTransaction(own -> told(own, work)) : told(open, work));
  }

  private <T> T told(Handle handle, Function<Handle, T> work) {
    if (channel != null) {
      handle
          .createQuery("SELECT set_config('holdfast.channel', :channel, true)")
          .bind("channel", channel.wireName())
          .mapTo(String.class)
          .one();
    }
    return work.apply(handle);
  }

  /**
   * Runs work of which only one statement writes: that is a transaction by itself, so BEGIN and
   * COMMIT would be round trips for nothing.
   */
  public <T> T runStatement(Function<Handle, T> work) {
    return retried(
        () -> open == null ? jdbi.withHandle(own -> committed(own, work)) : work.apply(open));
  }

  /** As {@link #runStatement}, without what Jdbi does for a statement. */
  public <T> T runCall(Call<T> call) {
    return retried(() -> open == null ? onOwn(call) : on(open.getConnection(), call));
  }

  private <T> T onOwn(Call<T> call) {
    try (Connection connection = dataSource.getConnection()) {
      T result = call.on(connection);
      if (!connection.getAutoCommit()) {
        connection.commit();
      }
      return result;
    } catch (SQLException e) {
      throw new StatementFailed(e);
    }
  }

  /** Runs plain JDBC in a transaction, once: what it reads from cannot be read again. */
  public <T> T runOnce(Call<T> call) {
    try {
      return open == null
          ? jdbi.inTransaction(own -> on(own.getConnection(), call))
          : on(open.getConnection(), call);
    } catch (RuntimeException e) {
      throw SqlErrors.translate(e);
    }
  }

  private static <T> T on(Connection connection, Call<T> call) {
    try {
      return call.on(connection);
    } catch (SQLException e) {
      throw new StatementFailed(e);
    }
  }

  /** A pool of somebody else's may hand out connections that wait for a COMMIT. */
  private static <T> T committed(Handle handle, Function<Handle, T> work) {
    boolean open = handle.isInTransaction();
    T result = work.apply(handle);
    if (open) {
      handle.commit();
    }
    return result;
  }

  private <T> T retried(Supplier<T> work) {
    for (int tries = 1; ; tries++) {
      try {
        return work.get();
      } catch (RuntimeException e) {
        // In somebody's transaction all of it has to be done again, which its owner does.
        if (open != null || tries == TRIES || !SqlErrors.isWorthAnotherTry(e)) {
          throw SqlErrors.translate(e);
        }
      }
    }
  }
}
