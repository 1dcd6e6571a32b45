package dev.holdfast.postgres.batch;

import dev.holdfast.batch.Batch;
import dev.holdfast.batch.BatchDesk;
import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Channel;
import java.util.List;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jspecify.annotations.Nullable;

/** Calls the functions for people, the same ones that SQL users call. Thread-safe. */
public record PostgresBatchDesk(Transactions transactions, Sql sql) implements BatchDesk {
  /** The number of tickets that are changed in one transaction. */
  private static final int PORTION = 500;

  private static final RowMapper<Batch> MAPPER = RecordMapper.of(Batch.class);

  public PostgresBatchDesk(DataSource dataSource, String schema) {
    this(new Transactions(dataSource), new Sql(schema));
  }

  @Override
  public BatchDesk through(Channel channel) {
    return new PostgresBatchDesk(transactions.through(channel), sql);
  }

  @Override
  public Batch find(long batchId) {
    return transactions.runStatement(
        handle -> handle.createQuery(sql.load("find_batch")).bind("id", batchId).map(MAPPER).one());
  }

  @Override
  public List<Batch> list(int limit, @Nullable Long before) {
    return transactions.runStatement(
        handle ->
            handle
                .createQuery(sql.load("list_batches"))
                .bind("limit", limit)
                .bind("before", before)
                .map(MAPPER)
                .list());
  }

  @Override
  public List<Long> held(long batchId) {
    find(batchId);
    return transactions.runStatement(
        handle ->
            handle
                .createQuery(sql.load("held_of_batch"))
                .bind("id", batchId)
                .mapTo(Long.class)
                .list());
  }

  @Override
  public long hold(long batchId, String actor, String reason) {
    return inPortions(
        "SELECT holdfast.hold_batch(:id, :actor, :reason, :most)", batchId, actor, reason);
  }

  @Override
  public long cancel(long batchId, String actor, @Nullable String reason) {
    return inPortions(
        "SELECT holdfast.cancel_batch(:id, :actor, :reason, :most)", batchId, actor, reason);
  }

  private long inPortions(String call, long batchId, String actor, @Nullable String reason) {
    String query = sql.inSchema(call);
    long all = 0;
    long some;
    do {
      some = transactions.run(handle -> portion(handle, query, batchId, actor, reason));
      all += some;
    } while (some > 0);
    return all;
  }

  private long portion(
      Handle handle, String query, long batchId, String actor, @Nullable String reason) {
    return handle
        .createQuery(query)
        .bind("id", batchId)
        .bind("actor", actor)
        .bind("reason", reason)
        .bind("most", PORTION)
        .mapTo(Long.class)
        .one();
  }
}
