package dev.holdfast.chaos;

import java.sql.Connection;
import java.sql.Statement;

/**
 * Somebody began a transaction and went away: it holds a snapshot, and it has locked tickets that
 * are running and tickets that wait.
 */
final class IdleTransactionCell implements Cell {
  /** So many that each worker has some of them. */
  private static final int LOCKED = 8;

  @Override
  public void rage(Chaos chaos) throws Exception {
    for (int i = 0; i < LOCKED; i++) {
      chaos.load.add(Jobs.LONG, "locked-" + i);
    }
    try (Connection connection = chaos.site.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("SELECT txid_current()");
      statement.execute(
          "SELECT FROM holdfast.ticket_base WHERE unique_key LIKE 'locked-%' FOR UPDATE");
      chaos.pass(chaos.options.length());
      connection.rollback();
    }
  }
}
