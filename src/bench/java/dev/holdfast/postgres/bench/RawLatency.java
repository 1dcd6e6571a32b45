package dev.holdfast.postgres.bench;

import dev.holdfast.postgres.SqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The raw probe of pickup: one connection inserts a ticket and notifies in the same commit, another
 * listens and claims. Used by one thread; the receiving connection has a thread of its own.
 */
public final class RawLatency implements AutoCloseable {
  private static final String ENQUEUE = BenchSql.load("probe_enqueue_and_notify");
  private static final int WAIT_MILLIS = 200;
  private static final long PATIENCE_SECONDS = 30;

  /**
   * The way of one ticket, by {@link System#nanoTime}.
   *
   * @param called when the enqueuer began
   * @param enqueued when its commit returned
   * @param pickedUp when the receiver had the ticket
   */
  public record Sample(long called, long enqueued, long pickedUp) {}

  private final Connection enqueuer;
  private final RawConnection receiver;
  private final PreparedStatement enqueue;
  private final LinkedBlockingQueue<Long> pickedUp = new LinkedBlockingQueue<>();
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Future<?> receiving;
  private volatile boolean closing;

  private RawLatency(Connection enqueuer, RawConnection receiver) throws SQLException {
    this.enqueuer = enqueuer;
    this.receiver = receiver;
    this.enqueue = enqueuer.prepareStatement(ENQUEUE);
    BenchSql.execute(receiver.connection(), "LISTEN holdfast_bench_raw");
    this.receiving = thread.submit(this::receive);
  }

  /** Opens both connections; there must be no ready ticket. */
  public static RawLatency open(DataSource direct) {
    try {
      return new RawLatency(direct.getConnection(), new RawConnection(direct.getConnection(), 1));
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  private @Nullable Void receive() throws SQLException {
    while (!closing) {
      if (receiver.postgres().getNotifications(WAIT_MILLIS).length > 0) {
        while (receiver.claim(1) > 0) {
          long now = System.nanoTime();
          receiver.complete();
          pickedUp.add(now);
        }
      }
    }
    return null;
  }

  /** Sends one ticket through an idle receiver; returns after it is completed. */
  public Sample sample(String payload) throws InterruptedException {
    try {
      long called = System.nanoTime();
      enqueue.setString(1, payload);
      enqueue.execute();
      long enqueued = System.nanoTime();
      Long arrived = pickedUp.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (arrived == null) {
        throw new SQLException("no notification arrived; is there a pooler in between?", "08000");
      }
      return new Sample(called, enqueued, arrived);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  @Override
  public void close() {
    closing = true;
    thread.close();
    try (OpenResources both = new OpenResources()) {
      both.keep(enqueuer);
      both.keep(receiver);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
    if (receiving.state() == Future.State.FAILED) {
      throw new IllegalStateException("the raw receiver failed", receiving.exceptionNow());
    }
  }
}
