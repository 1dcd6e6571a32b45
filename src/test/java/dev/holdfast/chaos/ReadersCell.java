package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Four readers count everything, over and over, each in one snapshot at a time. There is so much to
 * count that at each moment some of them are at it.
 */
final class ReadersCell implements Cell {
  private static final int READERS = 4;
  private static final int FINISHED = 100_000;

  @Override
  public void prepare(Chaos chaos) {
    BacklogCell.addFinished(chaos, FINISHED);
    chaos.database.run("VACUUM (ANALYZE)");
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    Instant end = chaos.end();
    Callable<Integer> reader = () -> read(chaos, end);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Integer> each : threads.invokeAll(Collections.nCopies(READERS, reader))) {
        assertThat(each.get()).isPositive();
      }
    }
  }

  private static int read(Chaos chaos, Instant end) throws Exception {
    int read = 0;
    try (Connection connection = chaos.site.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      for (; Instant.now().isBefore(end); read++) {
        statement.execute("SELECT count(*) FROM holdfast.tickets");
        statement.execute("SELECT count(*) FROM holdfast.ticket_attempts");
        connection.commit();
      }
    }
    return read;
  }
}
