package dev.holdfast.postgres.batch;

import dev.holdfast.batch.NewRelease;
import dev.holdfast.batch.Release;
import dev.holdfast.batch.ReleaseDesk;
import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Channel;
import dev.holdfast.queue.TicketDesk.Conversation;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.ticket.NotFoundException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jspecify.annotations.Nullable;

/** Calls the functions for people, the same ones that SQL users call. Thread-safe. */
public record PostgresReleaseDesk(Transactions transactions, Sql sql) implements ReleaseDesk {
  private static final RowMapper<Release> MAPPER = RecordMapper.of(Release.class);

  public PostgresReleaseDesk(DataSource dataSource, String schema) {
    this(new Transactions(dataSource), new Sql(schema));
  }

  @Override
  public ReleaseDesk through(Channel channel) {
    return new PostgresReleaseDesk(transactions.through(channel), sql);
  }

  @Override
  public Release start(NewRelease release, String actor) {
    return transactions.run(handle -> find(handle, start(handle, release, actor)).orElseThrow());
  }

  private long start(Handle handle, NewRelease release, String actor) {
    NewRelease.Which which = release.which();
    return handle
        .createQuery(sql.load("start_release"))
        .bind("actor", actor)
        .bind("canary", release.canary())
        .bind("ramp", release.ramp().toArray(Integer[]::new))
        .bind("guidance", release.guidance())
        .bind("ids", which.ids() == null ? null : which.ids().toArray(Long[]::new))
        .bind("fingerprint", which.fingerprint())
        .bind("category", which.category() == null ? null : which.category().wireName())
        .bind("batch", which.batchId())
        .bind("keep", release.retries() == Retries.KEEP)
        .bind("fresh", release.conversation() == Conversation.START_OVER)
        .mapTo(Long.class)
        .one();
  }

  @Override
  public Optional<Release> find(long releaseId) {
    return transactions.runStatement(handle -> find(handle, releaseId));
  }

  private Optional<Release> find(Handle handle, long releaseId) {
    return rows(handle, releaseId, 1, null).stream().findFirst();
  }

  private List<Release> rows(Handle handle, @Nullable Long id, int limit, @Nullable Long before) {
    return handle
        .createQuery(sql.load("list_releases"))
        .bind("id", id)
        .bind("limit", limit)
        .bind("before", before)
        .map(MAPPER)
        .list();
  }

  @Override
  public List<Release> list(int limit, @Nullable Long before) {
    return transactions.runStatement(handle -> rows(handle, null, limit, before));
  }

  @Override
  public Release stop(long releaseId, String actor) {
    return transactions.run(
        handle -> {
          handle.execute(sql.inSchema("SELECT FROM holdfast.stop_release(?, ?)"), releaseId, actor);
          return find(handle, releaseId)
              .orElseThrow(() -> new NotFoundException("there is no release " + releaseId));
        });
  }
}
