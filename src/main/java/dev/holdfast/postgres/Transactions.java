package dev.holdfast.postgres;

import dev.holdfast.ticket.HoldfastException;
import java.util.function.Function;
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
    for (int tries = 1; ; tries++) {
      try {
        return jdbi.inTransaction(work::apply);
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
