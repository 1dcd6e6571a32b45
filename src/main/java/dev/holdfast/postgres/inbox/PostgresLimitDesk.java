package dev.holdfast.postgres.inbox;

import dev.holdfast.limit.Limit;
import dev.holdfast.limit.LimitDesk;
import dev.holdfast.limit.NewLimit;
import dev.holdfast.limit.Rate;
import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Channel;
import java.util.List;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Calls the functions for people, the same ones that SQL users call. Thread-safe. */
public record PostgresLimitDesk(Transactions transactions, Sql sql) implements LimitDesk {
  private static final String ROWS =
      """
      SELECT scope, concurrent, per_key, rate, (extract(epoch FROM per) * 1000)::bigint AS per_ms,
        burst, running, waiting, may_start_now, set_at, set_by
      FROM holdfast.limits WHERE :scope::text IS NULL OR scope = :scope::text ORDER BY scope
      """;
  private static final String SET =
      """
      SELECT FROM holdfast.set_limit(:scope, :actor, :concurrent, :perKey, :rate,
        :perMs * interval '1 millisecond', :burst)
      """;

  public PostgresLimitDesk(DataSource dataSource, String schema) {
    this(new Transactions(dataSource), new Sql(schema));
  }

  @Override
  public LimitDesk through(Channel channel) {
    return new PostgresLimitDesk(transactions.through(channel), sql);
  }

  @Override
  public List<Limit> list() {
    return transactions.runStatement(handle -> rows(handle, null));
  }

  private List<Limit> rows(Handle handle, @Nullable String scope) {
    return handle
        .createQuery(sql.inSchema(ROWS))
        .bind("scope", scope)
        .map(RecordMapper.of(Limit.class))
        .list();
  }

  @Override
  public Limit set(NewLimit limit, String actor) {
    @Nullable Rate rate = limit.rate();
    return transactions.run(
        handle -> {
          handle
              .createQuery(sql.inSchema(SET))
              .bind("scope", limit.scope())
              .bind("actor", actor)
              .bind("concurrent", limit.concurrent())
              .bind("perKey", limit.perKey())
              .bind("rate", rate == null ? null : rate.count())
              .bind("perMs", rate == null ? null : rate.per().toMillis())
              .bind("burst", limit.burst())
              .mapToMap()
              .list();
          return rows(handle, limit.scope()).getFirst();
        });
  }

  @Override
  public void remove(String scope, String actor) {
    String statement = sql.inSchema("SELECT FROM holdfast.remove_limit(?, ?)");
    transactions.run(handle -> handle.execute(statement, scope, actor));
  }

  @Override
  public void setWeight(String fairnessKey, int weight, String actor) {
    String statement = sql.inSchema("SELECT FROM holdfast.set_weight(?, ?, ?)");
    transactions.run(handle -> handle.execute(statement, fairnessKey, actor, weight));
  }
}
