package dev.holdfast.postgres.inbox;

import dev.holdfast.limit.Limit;
import dev.holdfast.limit.LimitDesk;
import dev.holdfast.limit.NewLimit;
import dev.holdfast.limit.Rate;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Channel;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jspecify.annotations.Nullable;

/** Calls the functions for people, the same ones that SQL users call. Thread-safe. */
public final class PostgresLimitDesk implements LimitDesk {
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

  private final Transactions transactions;
  private final Sql sql;
  private final @Nullable Channel channel;

  public PostgresLimitDesk(DataSource dataSource, String schema) {
    this(new Transactions(dataSource), new Sql(schema), null);
  }

  private PostgresLimitDesk(Transactions transactions, Sql sql, @Nullable Channel channel) {
    this.transactions = transactions;
    this.sql = sql;
    this.channel = channel;
  }

  @Override
  public LimitDesk through(Channel newChannel) {
    return new PostgresLimitDesk(transactions, sql, newChannel);
  }

  @Override
  public List<Limit> list() {
    return transactions.runStatement(handle -> rows(handle, null));
  }

  private List<Limit> rows(Handle handle, @Nullable String scope) {
    return handle
        .createQuery(sql.inSchema(ROWS))
        .bind("scope", scope)
        .map(ConstructorMapper.of(Limit.class))
        .list();
  }

  @Override
  public Limit set(NewLimit limit, String actor) {
    @Nullable Rate rate = limit.rate();
    return act(
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
    act(
        handle ->
            handle
                .createQuery(sql.inSchema("SELECT FROM holdfast.remove_limit(:scope, :actor)"))
                .bind("scope", scope)
                .bind("actor", actor)
                .mapToMap()
                .list());
  }

  @Override
  public void setWeight(String fairnessKey, int weight, String actor) {
    act(
        handle ->
            handle
                .createQuery(sql.inSchema("SELECT FROM holdfast.set_weight(:key, :actor, :weight)"))
                .bind("key", fairnessKey)
                .bind("actor", actor)
                .bind("weight", weight)
                .mapToMap()
                .list());
  }

  private <T> T act(Function<Handle, T> work) {
    return transactions.run(
        handle -> {
          if (channel != null) {
            handle
                .createQuery("SELECT set_config('holdfast.channel', :channel, true)")
                .bind("channel", channel.wireName())
                .mapTo(String.class)
                .one();
          }
          return work.apply(handle);
        });
  }
}
