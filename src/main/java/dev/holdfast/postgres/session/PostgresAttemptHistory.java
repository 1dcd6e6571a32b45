package dev.holdfast.postgres.session;

import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.session.journal.AttemptHistory;
import java.util.List;
import javax.sql.DataSource;

/** Reads earlier attempts from {@code ticket_attempts} and the journal. Thread-safe. */
public final class PostgresAttemptHistory implements AttemptHistory {
  private final Transactions transactions;
  private final Persistence persistence;
  private final String failedAttempts;

  public PostgresAttemptHistory(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.persistence = new Persistence(dev.holdfast.retry.Sleeper.REAL);
    this.failedAttempts = new Sql(schema).load("failed_attempts");
  }

  @Override
  public List<Failed> failed(long ticketId) {
    return persistence.insist(
        () ->
            transactions.run(
                handle ->
                    handle
                        .createQuery(failedAttempts)
                        .bind("ticket", ticketId)
                        .map(RecordMapper.of(Failed.class))
                        .list()));
  }
}
