package dev.holdfast.postgres.bench;

import dev.holdfast.postgres.SqlErrors;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** The raw probe of enqueuing: a ticket and its ready row, with nothing around it. */
public final class RawEnqueue {
  private static final String ENQUEUE = BenchSql.load("probe_enqueue");
  private static final String FILE_READY = BenchSql.load("probe_file_ready");
  private static final String COPY =
      "COPY " + BenchSchema.NAME + ".probe_ticket (queue, kind, payload) FROM STDIN";

  private static final int CHUNK_ROWS = 10_000;

  private final DataSource direct;

  public RawEnqueue(DataSource direct) {
    this.direct = direct;
  }

  /** Adds each ticket in a commit of its own, by callers side by side. */
  public RawProbe.Timing single(int tickets, int callers, String payload)
      throws InterruptedException {
    return new Callers(direct, callers)
        .run(tickets, (connection, share) -> insert(connection, share, payload));
  }

  private static void insert(Connection connection, int tickets, String payload)
      throws SQLException {
    connection.unwrap(PGConnection.class).setPrepareThreshold(1);
    try (PreparedStatement statement = connection.prepareStatement(ENQUEUE)) {
      for (int i = 0; i < tickets; i++) {
        statement.setString(1, payload);
        statement.execute();
      }
    }
  }

  /** Adds all in one transaction, by COPY. The table must be empty. */
  public RawProbe.Timing bulk(int tickets, String payload) {
    try (Connection connection = direct.getConnection()) {
      connection.setAutoCommit(false);
      long start = System.nanoTime();
      CopyManager copy = connection.unwrap(PGConnection.class).getCopyAPI();
      for (int done = 0; done < tickets; done += CHUNK_ROWS) {
        copy.copyIn(COPY, chunk(Math.min(CHUNK_ROWS, tickets - done), payload));
      }
      try (PreparedStatement file = connection.prepareStatement(FILE_READY)) {
        file.setLong(1, 0);
        file.execute();
      }
      connection.commit();
      return new RawProbe.Timing(start, System.nanoTime());
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    } catch (IOException e) {
      throw new IllegalStateException("COPY failed", e);
    }
  }

  private static ByteArrayInputStream chunk(int rows, String payload) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < rows; i++) {
      lines.append("bench\tbench\t").append(payload).append('\n');
    }
    return new ByteArrayInputStream(lines.toString().getBytes(StandardCharsets.UTF_8));
  }
}
