package dev.holdfast.postgres.session;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.session.retry.RetryAborts;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Reads the table {@code retry_aborts}, which the SQL function {@code abort_retry} fills. An order
 * is for the attempt that it found running, and void after 15 seconds: a person means the retry
 * that they see waiting, not one that begins later. It asks nothing if nothing waits. Thread-safe.
 */
public final class PostgresRetryAborts implements RetryAborts {
  private final Transactions transactions;
  private final String take;
  private final String find;
  private final String findOff;

  public PostgresRetryAborts(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.take = new Sql(schema).load("take_retry_aborts");
    this.find =
        new Sql(schema)
            .inSchema("SELECT enabled FROM holdfast.auto_retry_switches WHERE ticket_id = :ticket");
    this.findOff =
        new Sql(schema)
            .inSchema(
                "SELECT ticket_id FROM holdfast.auto_retry_switches WHERE ticket_id = ANY"
                    + " (CAST(:tickets AS bigint[])) AND NOT enabled");
  }

  /**
   * @throws dev.holdfast.queue.DatabaseUnavailableException where the database cannot be asked
   */
  @Override
  public Set<Long> take(Collection<Long> waitingTickets) {
    return among(waitingTickets, take);
  }

  /**
   * @throws dev.holdfast.queue.DatabaseUnavailableException where the database cannot be asked
   */
  @Override
  public Set<Long> switchedOff(Collection<Long> retryingTickets) {
    return among(retryingTickets, findOff);
  }

  private Set<Long> among(Collection<Long> tickets, String sql) {
    if (tickets.isEmpty()) {
      return Set.of();
    }
    Long[] ids = tickets.toArray(Long[]::new);
    return transactions.runStatement(
        handle ->
            handle.createQuery(sql).bind("tickets", ids).mapTo(Long.class).stream()
                .collect(Collectors.toUnmodifiableSet()));
  }

  /**
   * @throws dev.holdfast.queue.DatabaseUnavailableException where the database cannot be asked
   */
  @Override
  public Optional<Boolean> autoRetry(long ticketId) {
    return transactions.runStatement(
        handle -> handle.createQuery(find).bind("ticket", ticketId).mapTo(Boolean.class).findOne());
  }
}
