package dev.holdfast.postgres.read;

import dev.holdfast.postgres.PinnedPlan;
import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.ticket.EndedTickets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/** Looks each ticket up by its number. Thread-safe. */
public final class PostgresEndedTickets implements EndedTickets {
  private final Transactions transactions;
  private final String endedTickets;

  public PostgresEndedTickets(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.endedTickets = new Sql(schema).loadPinned("ended_tickets");
  }

  @Override
  public Set<Key> endedFor(Duration age, Collection<Key> tickets) {
    List<Key> keys = List.copyOf(tickets);
    return transactions.run(
        handle ->
            PinnedPlan.on(handle.createQuery(endedTickets))
                .bind("ids", keys.stream().map(Key::id).toArray(Long[]::new))
                .bind("seconds", keys.stream().map(Key::createdSecond).toArray(Long[]::new))
                .bind("age_ms", age.toMillis())
                .map(RecordMapper.of(Key.class))
                .set());
  }
}
