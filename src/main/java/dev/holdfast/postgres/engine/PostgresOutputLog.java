package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Columns;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.output.OutputChunk;
import dev.holdfast.queue.output.OutputLog;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;

/** Writes the table {@code attempt_output}. Thread-safe. */
public final class PostgresOutputLog implements OutputLog {
  private final Transactions transactions;
  private final String append;

  public PostgresOutputLog(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.append = new Sql(schema).load("append_output");
  }

  /** The key of a chunk. */
  private record Key(long ticketId, long leaseNo, String stream, long fromByte) {
    static Key of(OutputChunk piece) {
      return new Key(piece.ticketId(), piece.leaseNo(), piece.stream(), piece.fromByte());
    }
  }

  @Override
  public void append(List<OutputChunk> pieces) {
    transactions.run(
        handle -> {
          int written = 0;
          List<OutputChunk> left = pieces;
          while (!left.isEmpty()) {
            List<OutputChunk> later = new ArrayList<>();
            written += insert(handle, oneOfEach(left, later));
            left = later;
          }
          return written;
        });
  }

  /** Takes one piece for each row, the others later: a statement may add to a row only once. */
  private static List<OutputChunk> oneOfEach(List<OutputChunk> pieces, List<OutputChunk> later) {
    Set<Key> seen = new HashSet<>();
    List<OutputChunk> first = new ArrayList<>();
    for (OutputChunk piece : pieces) {
      (seen.add(Key.of(piece)) ? first : later).add(piece);
    }
    return first;
  }

  private int insert(Handle handle, List<OutputChunk> pieces) {
    return handle
        .createUpdate(append)
        .bind("tickets", Columns.longs(pieces, OutputChunk::ticketId))
        .bind("leases", Columns.longs(pieces, OutputChunk::leaseNo))
        .bind("streams", Columns.texts(pieces, OutputChunk::stream))
        .bind("froms", Columns.longs(pieces, OutputChunk::fromByte))
        .bind("tos", Columns.longs(pieces, OutputChunk::toByte))
        .bind("pieces", Columns.integers(pieces, OutputChunk::pieces))
        .bind("texts", Columns.texts(pieces, OutputChunk::text))
        .execute();
  }
}
