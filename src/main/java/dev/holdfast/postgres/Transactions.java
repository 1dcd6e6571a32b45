package dev.holdfast.postgres;

import dev.holdfast.queue.Channel;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Cleanable;
import org.jdbi.v3.core.statement.ColonPrefixSqlParser;
import org.jdbi.v3.core.statement.SqlParser;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jspecify.annotations.Nullable;

/**
 * Runs work in transactions, and translates what the database throws. Each work has a transaction
 * and a pooled connection of its own. It is done again if it lost a deadlock or a prepared
 * statement: nothing of it was stored. {@link #within} makes all work part of one transaction.
 * Apart from that, thread-safe.
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

  /**
   * The parser of all statements. It keeps what it has parsed, which is expensive: the statements
   * of all databases are the same.
   */
  private static final SqlParser PARSER = new ColonPrefixSqlParser();

  private final OwnConnections connections;
  private final Jdbi jdbi;
  private final @Nullable Handle open;
  private final @Nullable Channel channel;

  public Transactions(DataSource dataSource) {
    this(new OwnConnections(dataSource));
  }

  private Transactions(OwnConnections connections) {
    this(connections, jdbi(connections), null, null);
  }

  private Transactions(
      OwnConnections connections, Jdbi jdbi, @Nullable Handle open, @Nullable Channel channel) {
    this.connections = connections;
    this.jdbi = jdbi;
    this.open = open;
    this.channel = channel;
  }

  private static Jdbi jdbi(OwnConnections connections) {
    Jdbi jdbi = Jdbi.create(connections).registerArgument(new BinaryArrays());
    jdbi.getConfig(SqlStatements.class).setSqlParser(PARSER);
    // We make this here; otherwise each statement makes its own.
    jdbi.getConfig(RecordMapper.Known.class);
    return jdbi;
  }

  /**
   * Returns transactions in which all work takes part in that of this handle; its owner commits or
   * rolls back.
   */
  public Transactions within(Handle transaction) {
    return new Transactions(connections, jdbi, transaction, channel);
  }

  /**
   * Returns transactions with a channel: {@link #run} passes it to the functions for people, which
   * store it.
   */
  public Transactions through(Channel newChannel) {
    return new Transactions(connections, jdbi, open, newChannel);
  }

  public <T> T run(Function<Handle, T> work) {
    return retried(
        () ->
            open == null
                ? onOwnHandle(own -> own.inTransaction(inside -> told(inside, work)))
                : told(open, work));
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
   * COMMIT would be needless round trips.
   */
  public <T> T runStatement(Function<Handle, T> work) {
    return retried(() -> open == null ? onOwnHandle(work) : work.apply(open));
  }

  /** Runs like {@link #runStatement}, without what Jdbi does for a statement. */
  public <T> T runCall(Call<T> call) {
    return retried(() -> open == null ? onOwn(call) : on(open.getConnection(), call));
  }

  private <T> T onOwnHandle(Function<Handle, T> work) {
    return jdbi.withHandle(own -> watched(own.getConnection(), () -> work.apply(own)));
  }

  private <T> T onOwn(Call<T> call) {
    try {
      Connection own = connections.openConnection();
      try (Cleanable _ = connections.getCleanableFor(own)) {
        return watched(own, () -> on(own, call));
      }
    } catch (SQLException e) {
      throw new StatementFailed(e);
    }
  }

  /** Runs plain JDBC in a transaction, once: its input cannot be read again. */
  public <T> T runOnce(Call<T> call) {
    try {
      return open == null
          ? jdbi.inTransaction(own -> told(own, inside -> on(inside.getConnection(), call)))
          : told(open, inside -> on(inside.getConnection(), call));
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

  /**
   * Runs work and marks a connection that lost a statement: its next user would have the same
   * trouble.
   */
  private <T> T watched(Connection own, Supplier<T> work) {
    try {
      return work.get();
    } catch (RuntimeException e) {
      if (SqlErrors.isStatementLost(e)) {
        connections.spoil(own);
      }
      throw e;
    }
  }

  private <T> T retried(Supplier<T> work) {
    for (int tries = 1; ; tries++) {
      try {
        return work.get();
      } catch (RuntimeException e) {
        // In somebody's transaction all of it has to be done again; its owner does that.
        if (open != null || tries == TRIES || !SqlErrors.isWorthAnotherTry(e)) {
          throw SqlErrors.translate(e);
        }
      }
    }
  }
}
