package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Four readers count everything, over and over, each in one snapshot at a time. There is so much to
 * count that at each moment some of them are at it, and nobody may wait for them.
 */
final class ReadersCell implements Cell {
  private static final int READERS = 4;
  private static final int FINISHED = 100_000;
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final String WAITING =
      """
      SELECT count(*) FROM pg_stat_activity w
      WHERE w.application_name LIKE 'holdfast%' AND w.wait_event_type = 'Lock'
        AND EXISTS (
          SELECT FROM unnest(pg_blocking_pids(w.pid)) AS b (pid) JOIN pg_stat_activity r USING (pid)
          WHERE r.application_name = 'chaos-reader')
      """;

  private int waited;

  @Override
  public void prepare(Chaos chaos) {
    BacklogCell.addFinished(chaos, FINISHED);
    chaos.database.run("VACUUM (ANALYZE)");
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    Instant end = chaos.end();
    List<Future<Integer>> readers = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < READERS; i++) {
        readers.add(threads.submit(() -> read(chaos, end)));
      }
      while (Instant.now().isBefore(end)) {
        chaos.pass(LOOK);
        waited += chaos.database.number(WAITING) > 0 ? 1 : 0;
      }
    }
    for (Future<Integer> each : readers) {
      assertThat(each.get()).isPositive();
    }
  }

  private static int read(Chaos chaos, Instant end) throws Exception {
    int read = 0;
    try (Connection connection = chaos.site.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET application_name = 'chaos-reader'");
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

  @Override
  public void check(Chaos chaos) {
    assertThat(waited).as("looks at which a worker waited for a reader").isZero();
  }
}
