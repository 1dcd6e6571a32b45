package dev.holdfast.postgres;

import dev.holdfast.ticket.HoldfastException;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Runs work in a transaction of its own on a pooled connection, and translates what the database
 * throws. Work that lost a deadlock is done again: nothing of it was stored.
 */
final class Transactions {
  private static final int TRIES = 3;

  private final Jdbi jdbi;

  Transactions(DataSource dataSource) {
    this.jdbi = Jdbi.create(dataSource);
  }

  <T> T run(Function<Handle, T> work) {
    return retried(() -> jdbi.inTransaction(work::apply));
  }

  /**
   * Runs work of which only one statement writes: that is a transaction by itself, so BEGIN and
   * COMMIT would be round trips for nothing.
   */
  <T> T runStatement(Function<Handle, T> work) {
    return retried(() -> jdbi.withHandle(handle -> committed(handle, work)));
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
