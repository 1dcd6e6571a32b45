package dev.holdfast.postgres.bench;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Closes everything that was opened for a run, in the opposite order. Used by one thread. */
final class OpenResources implements AutoCloseable {
  private final Deque<AutoCloseable> kept = new ArrayDeque<>();

  <T extends AutoCloseable> T keep(T opened) {
    kept.push(opened);
    return opened;
  }

  @Override
  public void close() throws SQLException {
    while (!kept.isEmpty()) {
      try {
        kept.pop().close();
      } catch (SQLException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException("cannot close", e);
      }
    }
  }
}
