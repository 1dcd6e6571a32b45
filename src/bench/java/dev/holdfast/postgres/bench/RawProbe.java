package dev.holdfast.postgres.bench;

import dev.holdfast.postgres.SqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/**
 * The raw probe: the least that a database has to do for a ticket that is kept, fenced, leased and
 * has a history, as plain JDBC. Its rate is the limit of the machine. Used by one thread.
 */
public final class RawProbe {
  private static final String FILL = BenchSql.load("probe_fill");
  private static final String FILE_READY = BenchSql.load("probe_file_ready");
  private static final String TRUTH = BenchSql.load("probe_truth");

  /** The beginning of a run and the answer to its last commit, by {@link System#nanoTime}. */
  public record Timing(long startNanos, long endNanos) {
    public double seconds() {
      return (endNanos - startNanos) / 1e9;
    }
  }

  private final DataSource direct;
  private final DataSource own;
  private final TableReset upkeep;

  /**
   * @param direct gives a new connection to each thread that works
   * @param own is for everything that is done before and after
   */
  public RawProbe(DataSource direct, DataSource own) {
    this.direct = direct;
    this.own = own;
    this.upkeep =
        new TableReset(
            own, List.of("probe_ticket", "probe_ready", "probe_lease", "probe_attempt"), List.of());
  }

  /** Leaves only this many ready tickets behind. */
  public void fill(int tickets, String payload) {
    upkeep.truncate();
    try (Connection connection = own.getConnection();
        PreparedStatement fill = connection.prepareStatement(FILL)) {
      fill.setString(1, payload);
      fill.setInt(2, tickets);
      fill.execute();
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
    BenchSql.update(own, FILE_READY, 0);
    upkeep.settle();
  }

  /**
   * Claims and completes until this many tickets are done.
   *
   * @param batch the tickets per claim and completion; two commits for each
   * @param committed gets the size of each batch after its commit, on any of the threads
   */
  public Timing drain(int tickets, int connections, int batch, LongConsumer committed)
      throws InterruptedException {
    AtomicLong unclaimed = new AtomicLong(tickets);
    List<Callable<Long>> tasks = new ArrayList<>();
    try (OpenResources opened = new OpenResources()) {
      for (int i = 0; i < connections; i++) {
        RawConnection each = opened.keep(new RawConnection(direct.getConnection(), batch));
        tasks.add(() -> each.drain(unclaimed, committed));
      }
      long start = System.nanoTime();
      return new Timing(start, runAll(tasks));
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /** Runs tasks side by side; returns the latest of the times that they return. */
  static long runAll(List<Callable<Long>> tasks) throws InterruptedException, SQLException {
    long latest = Long.MIN_VALUE;
    try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
      for (Future<Long> each : threads.invokeAll(tasks)) {
        latest = Math.max(latest, each.get());
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException sql) {
        throw sql;
      }
      throw new IllegalStateException("the raw probe failed", e.getCause());
    }
    return latest;
  }

  public TableCounts counts() {
    long[] found = BenchSql.numbers(own, TRUTH);
    return new TableCounts(found[0], found[1], found[3], found[2]);
  }
}
