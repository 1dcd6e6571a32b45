package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** What others do to the same database. */
final class PressureCells {
  private static final int READERS = 4;
  private static final int TIMES = 5;
  private static final double HIGH = 1.5;

  /** So many that each worker has some of them. */
  private static final int LOCKED = 8;

  private PressureCells() {}

  /**
   * Somebody began a transaction and went away: it holds a snapshot, and it has locked tickets that
   * are running and tickets that wait.
   */
  static void idleInTransaction(Chaos chaos) throws Exception {
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

  /** Four that count everything, over and over, each with one snapshot at a time. */
  static void readers(Chaos chaos) throws Exception {
    Instant end = chaos.end();
    Callable<Integer> reader =
        () -> {
          int read = 0;
          try (Connection connection = chaos.site.dataSource().getConnection();
              Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            while (Instant.now().isBefore(end)) {
              statement.execute("SELECT count(*) FROM holdfast.tickets");
              statement.execute("SELECT count(*) FROM holdfast.ticket_attempts");
              connection.commit();
              read++;
            }
          }
          return read;
        };
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers = threads.invokeAll(java.util.Collections.nCopies(READERS, reader));
      for (var each : answers) {
        assertThat(each.get()).isPositive();
      }
    }
  }

  /** Five times as many tickets. */
  static void burst(Chaos chaos) throws Exception {
    more(chaos, TIMES);
  }

  /** Half as many again. */
  static void high(Chaos chaos) throws Exception {
    more(chaos, HIGH);
  }

  private static void more(Chaos chaos, double times) throws Exception {
    double usual = chaos.load.rate();
    chaos.load.rate(usual * times);
    chaos.pass(chaos.options.length());
    chaos.load.rate(usual);
  }
}
