package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Channel;
import dev.holdfast.queue.spending.BudgetStatus;
import dev.holdfast.queue.spending.ProviderStatus;
import dev.holdfast.queue.spending.SpendingDesk;
import java.math.BigDecimal;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Calls the functions for people, the same ones that SQL users call. Thread-safe. */
public record PostgresSpendingDesk(Transactions transactions, Sql sql) implements SpendingDesk {
  public PostgresSpendingDesk(DataSource dataSource, String schema) {
    this(new Transactions(dataSource), new Sql(schema));
  }

  @Override
  public SpendingDesk through(Channel channel) {
    return new PostgresSpendingDesk(transactions.through(channel), sql);
  }

  @Override
  public List<ProviderStatus> providers() {
    return rows(
        ProviderStatus.class,
        "SELECT * FROM holdfast.provider_status ORDER BY provider, key_id, model");
  }

  @Override
  public List<BudgetStatus> budgets() {
    return rows(BudgetStatus.class, "SELECT * FROM holdfast.budget_status ORDER BY scope");
  }

  private <T> List<T> rows(Class<T> type, String query) {
    return transactions.runStatement(
        handle -> handle.createQuery(sql.inSchema(query)).map(RecordMapper.of(type)).list());
  }

  @Override
  public Mended mend(String provider, String actor, @Nullable String keyId) {
    String mend =
        "SELECT mended, released, woken FROM holdfast.mend_provider(:provider, :actor, :key)";
    return transactions.run(
        handle ->
            handle
                .createQuery(sql.inSchema(mend))
                .bind("provider", provider)
                .bind("actor", actor)
                .bind("key", keyId)
                .map((row, context) -> new Mended(row.getLong(1), row.getLong(2), row.getLong(3)))
                .one());
  }

  @Override
  public long raise(String scope, BigDecimal usd, String actor, @Nullable String per) {
    return transactions.run(
        handle ->
            handle
                .createQuery(
                    sql.inSchema("SELECT holdfast.raise_budget(:scope, :usd, :actor, :per)"))
                .bind("scope", scope)
                .bind("usd", usd)
                .bind("actor", actor)
                .bind("per", per)
                .mapTo(Long.class)
                .one());
  }

  @Override
  public long remove(String scope, String actor) {
    return transactions.run(
        handle ->
            handle
                .createQuery(sql.inSchema("SELECT holdfast.remove_budget(:scope, :actor)"))
                .bind("scope", scope)
                .bind("actor", actor)
                .mapTo(Long.class)
                .one());
  }
}
