package dev.holdfast.postgres;

import dev.holdfast.ticket.HoldfastException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Runs work in a transaction of its own on a pooled connection, and translates what the database
 * throws. Work that lost a deadlock is done again: nothing of it was stored.
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

  public Transactions(DataSource dataSource) {
    this.dataSource = dataSource;
    this.jdbi = Jdbi.create(dataSource).registerArgument(new BinaryArrays());
  }

  public <T> T run(Function<Handle, T> work) {
    return retried(() -> jdbi.inTransaction(work::apply));
  }

  /**
   * Runs work of which only one statement writes: that is a transaction by itself, so BEGIN and
   * COMMIT would be round trips for nothing.
   */
  public <T> T runStatement(Function<Handle, T> work) {
    return retried(() -> jdbi.withHandle(handle -> committed(handle, work)));
  }

  /** As {@link #runStatement}, without what Jdbi does for a statement. */
  public <T> T runCall(Call<T> call) {
    return retried(
        () -> {
          try (Connection connection = dataSource.getConnection()) {
            T result = call.on(connection);
            if (!connection.getAutoCommit()) {
              connection.commit();
            }
            return result;
          } catch (SQLException e) {
            throw new StatementFailed(e);
          }
        });
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

  private static <T> T retried(Supplier<T> work) {
    for (int tries = 1; ; tries++) {
      try {
        return work.get();
      } catch (HoldfastException e) {
        throw e;
      } catch (RuntimeException e) {
        if (tries == TRIES || !SqlErrors.isWorthAnotherTry(e)) {
          throw SqlErrors.translate(e);
        }
      }
    }
  }
}
